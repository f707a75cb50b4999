// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/record_reader.hpp>

#include <utility>

#include "compressed_source.hpp"
#include "format_reader.hpp"
#include "input_buffer.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t magic_octets = 4;

ByteView first_octets(InputBuffer& input) {
  static_cast<void>(input.ensure(magic_octets));
  return {input.at(), input.available()};
}

std::unique_ptr<FormatReader> make_reader(InputBuffer input, const std::string& name, std::string& error) {
  ByteView start = first_octets(input);
  if (is_gzip(start) || is_zstd(start)) {
    auto contents = is_gzip(start) ? open_gzip(std::move(input)) : open_zstd(std::move(input));
    if (!contents) {
      error = name + ": not enough memory to decompress it";
      return nullptr;
    }
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

}  // namespace

class RecordReader::Implementation {
 public:
  explicit Implementation(std::unique_ptr<FormatReader> reader) noexcept : reader_(std::move(reader)) {}

  [[nodiscard]] bool next(Record& record) {
    if (!ended_) ended_ = !reader_->next(record);
    return !ended_;
  }
  [[nodiscard]] const FormatReader& reader() const noexcept { return *reader_; }

 private:
  std::unique_ptr<FormatReader> reader_;
  bool ended_ = false;
};

RecordReader::RecordReader(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

RecordReader::~RecordReader() = default;

std::unique_ptr<RecordReader> RecordReader::start(std::unique_ptr<FormatReader> reader, std::string& error) {
  if (!reader) return nullptr;
  if (!reader->start()) {
    error = reader->damage()->text;
    return nullptr;
  }
  auto implementation = std::make_unique<Implementation>(std::move(reader));
  return std::unique_ptr<RecordReader>(new RecordReader(std::move(implementation)));
}

std::unique_ptr<RecordReader> RecordReader::open(const std::string& path, std::string& error,
                                                 std::function<bool()> cancelled) {
  const std::string name = path == "-" ? "standard input" : path;
  auto source = open_file(path, error, std::move(cancelled));
  if (!source) {
    error = name + ": " + error;
    return nullptr;
  }
  return start(make_reader(InputBuffer(std::move(source)), name, error), error);
}

std::unique_ptr<RecordReader> RecordReader::open_memory(ByteView octets, const std::string& name,
                                                        std::string& error) {
  return start(make_reader(InputBuffer(octets), name, error), error);
}

bool RecordReader::next(Record& record) {
  return implementation_->next(record);
}

const std::optional<Damage>& RecordReader::damage() const noexcept {
  return implementation_->reader().damage();
}

Progress RecordReader::progress() const noexcept {
  return implementation_->reader().progress();
}

}  // namespace iwarp::capture
