// Filter: an expression over the fields of records, compiled once and evaluated without making text.
//
//   opcode == send && length > 1000          from == initiator and not complete
//   id =~ "^DDP-" || severity == error       stag == 0x1234ab01 and latency_ns >= 5ms
//
//   expression   alternatives joined by || or `or`, these of terms joined by && or `and`; ! or `not`; ( )
//   comparison   field OP value, OP one of == != < <= > >= and, with an extended regular expression
//                (POSIX) that is searched for in the text, =~ !~
//   field        a key of the record; keys of nested objects follow a dot (mpa.rev, crc.bad)
//   value        a number, decimal or 0x…, with ns, us, ms or s for durations; true, false, null;
//                a word or "quoted text"
//   field alone  its value is known and not false
//
// A comparison with a field that is null, or that this type of record does not have, is false (but
// `field == null` is true, `field != null` false). A record type that has none of the fields an expression
// names is not touched by it: every such record matches.
//
// Pure after parse(); one object may be used by many threads at once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <iwarp/export/record.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class Filter {
 public:
  // Nothing when `expression` is wrong: `error` then says what is wrong where, in one sentence.
  [[nodiscard]] static std::optional<Filter> parse(std::string_view expression, std::string& error);

  [[nodiscard]] bool matches(const Record& record) const;
  // Whether records of this kind have one of the fields that the expression names: others all match.
  [[nodiscard]] bool touches(RecordKind kind) const noexcept;

  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

 private:
  struct Program;
  explicit Filter(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

}  // namespace iwarp
#pragma GCC visibility pop
