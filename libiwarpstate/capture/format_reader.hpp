// What the readers of pcap and pcapng have in common.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <iwarp/capture/record.hpp>

#include "input_buffer.hpp"

namespace iwarp::capture {

class FormatReader {
 public:
  FormatReader(InputBuffer input, std::string name) noexcept
      : input_(std::move(input)), name_(std::move(name)) {}
  virtual ~FormatReader() = default;
  FormatReader(const FormatReader&) = delete;
  FormatReader& operator=(const FormatReader&) = delete;

  // Reads what stands before the first record. False: damage() is set and the file is of no use.
  [[nodiscard]] virtual bool start() = 0;
  // As RecordReader::next(), but not to be called again after it returned false.
  [[nodiscard]] virtual bool next(Record& record) = 0;

  [[nodiscard]] const std::optional<Damage>& damage() const noexcept { return damage_; }
  [[nodiscard]] Progress progress() const noexcept { return {input_.consumed(), input_.size()}; }
  [[nodiscard]] const InputBuffer& input() const noexcept { return input_; }

  // Asked now and then while a reader passes over what holds no packet: true ends the capture there, as
  // damage.
  void set_cancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

  // Makes a reader that goes on behind the record read last, with an input that stands there; nothing where
  // that would take too much memory.
  using Resume = std::function<std::unique_ptr<FormatReader>(InputBuffer input, std::string name)>;
  [[nodiscard]] virtual Resume resume() const = 0;

 protected:
  // True when nothing at all is left, as it should be behind the last record.
  [[nodiscard]] bool at_clean_end() const { return input_.available() == 0 && input_.failure().empty(); }

  // All return false, for `return damaged(...)`. `unit` is "record" or "block", `offset` where it starts.
  bool damaged(std::string_view unit, std::uint64_t number, std::uint64_t offset, std::string_view what);
  // The source ended inside the unit.
  bool cut_short(std::string_view unit, std::uint64_t number, std::uint64_t offset);
  // The unit claims more octets than are accepted.
  bool too_long(std::string_view unit, std::uint64_t number, std::uint64_t offset, std::uint64_t claimed);

  [[nodiscard]] bool is_cancelled() const { return cancelled_ && cancelled_(); }

  InputBuffer input_;

 private:
  std::function<bool()> cancelled_;
  std::string name_;
  std::optional<Damage> damage_;
};

// What a capture file is, told by its first four octets.
[[nodiscard]] bool is_pcap(ByteView start) noexcept;
[[nodiscard]] bool is_pcapng(ByteView start) noexcept;

[[nodiscard]] std::unique_ptr<FormatReader> make_pcap_reader(InputBuffer input, std::string name);
[[nodiscard]] std::unique_ptr<FormatReader> make_pcapng_reader(InputBuffer input, std::string name);

}  // namespace iwarp::capture
