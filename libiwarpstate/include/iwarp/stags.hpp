// STags: who owns which memory, who told whom of it, and who used it how. An STag names memory of a host,
// whatever streams it is used on (roles: RFC 5040 §1.2): a Write, Read Response or Atomic Request one of its
// receiver, a Read Request one of its sender (the sink) and one of its receiver (the source), a Send with
// Invalidate one of its receiver.
//
// Two steps, as streams may be followed by several threads: a StagReader turns the events of its streams into
// uses of STags, the StagTable, of which a capture has one, takes the uses of all streams in the capture's
// order. What the ULP advertises is read from its Sends: RPC-over-RDMA, SMB Direct, iSER, NVMe over Fabrics,
// known by their octets; of other ULPs the octets of an STag are looked for in the last Sends before its
// first use.
//
// Bounded memory: StagOptions. Threads: none of its own; one thread at a time uses one of these. Throws what
// allocation throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/ulp.hpp>

namespace iwarp {
class StagStreams;  // not exported
}

#pragma GCC visibility push(default)
namespace iwarp {

// Something that a stream shows of an STag.
struct StagUse {
  enum class Kind : std::uint8_t {
    advertised,   // its owner told the peer of it
    written,      // an RDMA Write went there
    read,         // a Read Request names it as its source
    placed,       // a Read Response went there
    atomic,       // an Atomic Request names it
    invalidated,  // a Send with Invalidate named it
    delivered,    // … and was certainly delivered
    granted,      // an operation on it certainly succeeded: `opcode` of its request
    refused,      // a Terminate quotes an operation on it
    missing,      // no use: octets of `owner` are missing, which may have told anything
  };
  Kind kind = Kind::advertised;
  Side side = Side::a;                       // whose octets show it
  Side owner = Side::a;                      // whose memory it is
  Role from = Role::initiator;               // of `side`
  Ulp ulp = Ulp::unknown;                    // of what is advertised; elsewhere, of the stream
  Confidence confidence = Confidence::high;  // of what is advertised: high where a ULP's reader read it
  wire::Opcode opcode = wire::Opcode::send;
  bool from_start = false;  // the stream's start was captured
  ConnectionId stream = 0;
  std::uint32_t stag = 0;
  std::uint16_t code = 0;  // of a Terminate
  std::uint64_t to = 0;
  std::optional<std::uint64_t> length;  // octets; of what is advertised nothing where it is not told
  Placement where;                      // the message's last octet; of what is refused, the Terminate's
  FrameNumber begun = 0;          // of a message that uses it: the frame of its first octet; 0: not captured
  FrameNumber decided = 0;        // the frame after which it was known
  FrameNumber refused_frame = 0;  // of what is refused: the frame of the message that is quoted; 0: not known
  // Of an Atomic that was granted: the word, as it was returned and as it was left.
  struct Word {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  };
  std::optional<Word> word;
  std::array<Endpoint, 2> endpoints{};  // by Side
};

class StagReader {
 public:
  StagReader();
  ~StagReader();
  StagReader(StagReader&&) noexcept;
  StagReader& operator=(StagReader&&) noexcept;

  // Takes every event of the streams it follows, in the order of their log: what it shows of STags, until the
  // next call. `connection` is that of the event; nullptr when no longer followed. REQUIRES: the analysis
  // keeps payload, of beginnings at least (KeepPayload).
  [[nodiscard]] std::span<const StagUse> add(const Event& event, const ConnectionState* connection,
                                             const Analysis& analysis);

 private:
  std::unique_ptr<StagStreams> streams_;
};

enum class StagRight : std::uint8_t {
  unknown,
  proven,
  denied,
};
// "proven", "denied"; nullptr of an unknown one.
[[nodiscard]] const char* stag_right_name(StagRight right) noexcept;

// One life of an STag: from its registration, as far as the capture shows it, to its invalidation, or until
// its index has another key, or it is advertised again behind its invalidation.
struct StagRecord {
  std::string host;
  std::uint32_t stag = 0;
  std::uint32_t generation = 1;       // of its index on its host
  std::vector<ConnectionId> streams;  // that used it or told of it, at most max_streams, in that order
  std::array<std::uint32_t, wire::opcode_count> operations{};  // messages that named it, by opcode
  std::uint64_t octets = 0;                                    // that operations moved or asked for
  // Of the operations that have a length.
  std::optional<std::uint64_t> min_to;
  std::optional<std::uint64_t> max_to;  // of the last octet
  StagRight read = StagRight::unknown;  // by the peer
  StagRight write = StagRight::unknown;
  StagRight atomic = StagRight::unknown;
  struct Advertised {
    ConnectionId stream = 0;
    FrameNumber frame = 0;
    Ulp ulp = Ulp::unknown;
    Confidence confidence = Confidence::high;
    std::uint64_t to = 0;
    std::optional<std::uint64_t> length;
  };
  std::optional<Advertised> advertised;  // the first time
  FrameNumber first_use = 0;             // 0: none
  FrameNumber last_use = 0;
  FrameNumber invalidated = 0;  // the Send with Invalidate, where it was delivered; 0: none

  static constexpr std::size_t max_streams = 16;
  // Addresses that look virtual; or such that begin near zero. Nothing: none was used, or it may be either.
  [[nodiscard]] std::optional<bool> is_virtual() const noexcept;
};

struct StagOptions {
  std::size_t max_stags = std::size_t{1} << 16U;  // at once; those go that were not used for long
  bool strict = false;                            // severities of findings: AnalyzerOptions::strict
  // Addresses that are one host, by its name. Each address that is not named is a host of its own.
  std::map<IpAddress, std::string> hosts = {};
};

class StagTable {
 public:
  explicit StagTable(StagOptions options = {});
  ~StagTable();
  StagTable(StagTable&&) noexcept;
  StagTable& operator=(StagTable&&) noexcept;

  void add(const StagUse& use);
  // The capture is over: all that is left becomes records.
  void finish();

  // Since the last call of add() or finish(), until the next: findings, with `from` the role of their side …
  struct Found {
    Event event;  // of kind finding, of connection StagUse::stream
    Role from = Role::initiator;
  };
  [[nodiscard]] std::span<const Found> findings() const noexcept;
  // … and lives that ended. Those that are left at the end come in the order in which they began.
  [[nodiscard]] std::span<const StagRecord> ended() const noexcept;

  // The life that this use of an STag belongs to, as it is by now, until the next add() or finish(); nullptr
  // where it is over, or there was none.
  [[nodiscard]] const StagRecord* life_of(const StagUse& use) const noexcept;

  // How often a check could not be decided. Not counted elsewhere.
  [[nodiscard]] std::uint64_t undecidable(CheckId check, Reason reason) const noexcept;
  // Lives that were ended for max_stags.
  [[nodiscard]] std::uint64_t evicted() const noexcept;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

// Both steps at once, where one thread follows all streams.
class StagLives {
 public:
  explicit StagLives(StagOptions options = {}) : table_(std::move(options)) {}

  // As StagReader::add(). Findings and ended lives are those of the event, until the next call.
  void add(const Event& event, const ConnectionState* connection, const Analysis& analysis);
  // As StagTable::finish().
  void finish();
  [[nodiscard]] std::span<const StagTable::Found> findings() const noexcept { return findings_; }
  [[nodiscard]] std::span<const StagRecord> ended() const noexcept { return ended_; }
  [[nodiscard]] const StagTable& table() const noexcept { return table_; }

 private:
  void take_over();

  StagReader reader_;
  StagTable table_;
  std::vector<StagTable::Found> findings_;
  std::vector<StagRecord> ended_;
};

}  // namespace iwarp
#pragma GCC visibility pop
