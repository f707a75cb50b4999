// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/plan_file.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "plan/plan_proto.hpp"
#include "plan/plan_text.hpp"

namespace iwarp::replay {
namespace {

constexpr int compression_level = 9;

int digit(char character) noexcept {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

void pack(const PayloadStore& payloads, proto::Payloads& out) {
  std::string all;
  all.reserve(payloads.octets());
  for (PayloadId id = 0; id < payloads.size(); ++id) {
    const Bytes& octets = payloads[id];
    out.add_length(static_cast<std::uint32_t>(octets.size()));
    all.append(octets.begin(), octets.end());
  }
  if (all.empty()) return;
  std::string packed(ZSTD_compressBound(all.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), all.data(), all.size(), compression_level);
  packed.resize(ZSTD_isError(size) != 0U ? 0 : size);  // cannot fail with room for the bound
  out.set_zstd(std::move(packed));
}

bool add_payload(PayloadStore& payloads, ByteView octets, std::string& error) {
  const std::size_t before = payloads.size();
  if (payloads.add(octets) == before) return true;
  error = "payload " + std::to_string(before) + " is there twice";
  return false;
}

bool unpack(const proto::Payloads& in, const PlanLimits& limits, PayloadStore& payloads, std::string& error) {
  std::uint64_t total = 0;
  for (const std::uint32_t length : in.length()) total += length;
  if (total > limits.payload_octets) {
    error = "payloads: they have " + std::to_string(total) + " octets, more than " +
            std::to_string(limits.payload_octets);
    return false;
  }
  Bytes all;
  if (total > 0) {
    // Not a word of the header is believed before it agrees with the lengths; they are bounded.
    const unsigned long long told = ZSTD_getFrameContentSize(in.zstd().data(), in.zstd().size());
    if (told != total) {
      error = "payloads: their zstd frame does not hold the " + std::to_string(total) +
              " octets of their lengths";
      return false;
    }
    all.resize(static_cast<std::size_t>(total));
    const std::size_t size = ZSTD_decompress(all.data(), all.size(), in.zstd().data(), in.zstd().size());
    if (ZSTD_isError(size) != 0U || size != all.size()) {
      error = "payloads: their zstd frame is damaged";
      return false;
    }
  }
  std::size_t at = 0;
  for (const std::uint32_t length : in.length()) {
    if (!add_payload(payloads, ByteView(all).subspan(at, length), error)) return false;
    at += length;
  }
  for (const std::string& hex : in.hex()) {
    Bytes octets;
    if (!octets_of_hex(hex, octets)) {
      error = "payload " + std::to_string(payloads.size()) + ": what should be hexadecimal digits is not";
      return false;
    }
    if (!add_payload(payloads, octets, error)) return false;
  }
  return true;
}

std::optional<Plan> from(const proto::Plan& in, const PlanLimits& limits, std::string& error) {
  std::optional<Plan> plan(std::in_place);
  if (!unpack(in.payloads(), limits, plan->payloads, error)) return std::nullopt;
  if (!from_proto(in, limits, *plan, error)) return std::nullopt;
  return plan;
}

}  // namespace

std::string hex_of(ByteView octets) {
  std::string text;
  text.reserve(2 * octets.size());
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i > 0 && i % 4 == 0) text += ' ';
    text += "0123456789abcdef"[octets[i] >> 4U];
    text += "0123456789abcdef"[octets[i] & 0xfU];
  }
  return text;
}

bool octets_of_hex(std::string_view text, Bytes& octets) {
  octets.clear();
  int high = -1;
  for (const char character : text) {
    if (character == ' ' || character == '\n' || character == '\t') {
      if (high >= 0) return false;
      continue;
    }
    const int value = digit(character);
    if (value < 0) return false;
    if (high < 0) {
      high = value;
    } else {
      octets.push_back(static_cast<Byte>(high << 4 | value));
      high = -1;
    }
  }
  return high < 0;
}

std::string to_octets(const Plan& plan) {
  proto::Plan made;
  to_proto(plan, made);
  pack(plan.payloads, *made.mutable_payloads());
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  made.SerializeToCodedStream(&coded);
  coded.Trim();
  return out;
}

std::string to_text(const Plan& plan) {
  proto::Plan made;
  to_proto(plan, made);
  for (PayloadId id = 0; id < plan.payloads.size(); ++id)
    made.mutable_payloads()->add_hex(hex_of(plan.payloads[id]));
  return print_text(made);
}

std::optional<Plan> plan_from_octets(std::string_view octets, std::string& error, const PlanLimits& limits) {
  proto::Plan in;
  const std::uint64_t longest = std::min<std::uint64_t>(limits.file_octets, std::numeric_limits<int>::max());
  if (octets.size() > longest) {
    error = "it has more than " + std::to_string(longest) + " octets";
    return std::nullopt;
  }
  if (!looks_like_plan(octets)) {
    error = "this is no replay plan";
    return std::nullopt;
  }
  if (!in.ParseFromArray(octets.data(), static_cast<int>(octets.size()))) {
    error = "it is damaged: no protobuf message";
    return std::nullopt;
  }
  if (!in.has_payloads()) {  // the last field, and always there
    error = "it ends too early";
    return std::nullopt;
  }
  return from(in, limits, error);
}

std::optional<Plan> plan_from_text(std::string_view text, std::string& error, const PlanLimits& limits) {
  proto::Plan in;
  if (text.size() > limits.file_octets) {
    error = "it has more than " + std::to_string(limits.file_octets) + " octets";
    return std::nullopt;
  }
  if (!parse_text(text, in, error)) return std::nullopt;
  return from(in, limits, error);
}

bool looks_like_plan(std::string_view beginning) noexcept {
  const std::string_view format = plan_format;
  return beginning.size() >= format.size() + 2 && beginning[0] == '\x0a' &&
         beginning[1] == static_cast<char>(format.size()) && beginning.substr(2, format.size()) == format;
}

std::optional<Plan> read_plan(const std::string& path, std::string& error, const PlanLimits& limits) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return std::nullopt;
  }
  std::string octets;
  constexpr std::size_t step = std::size_t{1} << 20U;
  for (std::size_t size = 0; file; size += static_cast<std::size_t>(file.gcount())) {
    if (size > limits.file_octets) break;  // reported below
    octets.resize(size + step);
    file.read(octets.data() + size, static_cast<std::streamsize>(step));
    octets.resize(size + static_cast<std::size_t>(file.gcount()));
  }
  auto plan = looks_like_plan(octets) ? plan_from_octets(octets, error, limits)
                                      : plan_from_text(octets, error, limits);
  if (plan) return plan;
  // A plan names its format, as text wherever the line was moved to.
  if (octets.find(plan_format) == std::string::npos) {
    error = path + " is neither a capture (pcap or pcapng, also in gzip or zstd) nor a plan";
  } else {
    error = path + ": " + error;
  }
  return std::nullopt;
}

bool write_plan(const Plan& plan, const std::string& path, bool text, std::string& error) {
  const std::string octets = text ? to_text(plan) : to_octets(plan);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(octets.data(), static_cast<std::streamsize>(octets.size()));
  file.close();
  if (file) return true;
  error = path + ": " + std::strerror(errno);
  return false;
}

}  // namespace iwarp::replay
