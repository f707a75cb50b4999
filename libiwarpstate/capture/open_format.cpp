// SPDX-License-Identifier: GPL-2.0-or-later
#include "open_format.hpp"

#include <utility>

#include "compressed_source.hpp"
#include "read_ahead_source.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t magic_octets = 4;

ByteView first_octets(InputBuffer& input) {
  static_cast<void>(input.ensure(magic_octets));
  return {input.at(), input.available()};
}

}  // namespace

std::unique_ptr<FormatReader> open_format(InputBuffer input, const std::string& name, std::string& error,
                                          bool decompress_ahead) {
  ByteView start = first_octets(input);
  if (is_gzip(start) || is_zstd(start)) {
    auto contents = is_gzip(start) ? open_gzip(std::move(input)) : open_zstd(std::move(input));
    if (!contents) {
      error = name + ": not enough memory to decompress it";
      return nullptr;
    }
    if (decompress_ahead) contents = read_ahead(std::move(contents));
    input = InputBuffer(std::move(contents));
    start = first_octets(input);
  }
  if (is_pcap(start)) return make_pcap_reader(std::move(input), name);
  if (is_pcapng(start)) return make_pcapng_reader(std::move(input), name);
  if (const std::string failure = input.failure(); !failure.empty()) {
    error = name + ": " + failure;
  } else if (start.empty()) {
    error = name + ": is empty";
  } else {
    error = name + ": is no capture file (pcap or pcapng, also in gzip or zstd)";
  }
  return nullptr;
}

}  // namespace iwarp::capture
