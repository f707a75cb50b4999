// What upper-layer protocols (ULPs) tell of memory: which STags a message names to the peer, and where in it
// they stand. RPC-over-RDMA, SMB Direct, iSER, NVMe over Fabrics and rsockets are known by their octets,
// ports are not asked; in the messages of others an STag can only be looked for.
//
// Threads: nothing is shared; one thread at a time uses a SendReader. Throws what allocation throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class Ulp : std::uint8_t {
  unknown,
  rpc_rdma,
  smb_direct,
  iser,
  nvme,
  rsockets,
};
inline constexpr std::size_t ulp_count = 6;
// "rpc_rdma", …; nullptr of an unknown one.
[[nodiscard]] const char* ulp_name(Ulp ulp) noexcept;

// How an STag, and the numbers beside it, stand in a message.
enum class StagForm : std::uint8_t {
  big_endian,
  little_endian,
  digits,  // eight hexadecimal digits, as perftest writes them
};

// What stands around an STag in a message.
enum class StagLayout : std::uint8_t {
  bare,        // four octets that may be it by chance
  near_to,     // a TO of its use stands within 32 octets
  rpc_rdma,    // handle, length, offset (RFC 8166 §3.3)
  smb_direct,  // offset, token, length, little-endian (MS-SMBD §2.2.3.1); rsockets on little-endian machines
  rping,       // the same, big-endian
  nvme,        // keyed SGL data block descriptor: address, 3-octet length, key (NVM Express base)
  iser,        // STag, base offset (RFC 7145 §9.2)
  perftest,    // rkey and vaddr, in its 56-octet messages or as text
};

// An STag in a message.
struct StagMention {
  std::uint32_t offset = 0;  // octets before it
  std::uint32_t stag = 0;
  StagForm form = StagForm::big_endian;
  StagLayout layout = StagLayout::bare;
  bool by_owner = false;  // its sender's own STag: an advertisement; else an echo of the peer's
  std::optional<std::uint32_t> to_offset;      // where its TO stands: 8 octets, or 16 digits
  std::optional<std::uint32_t> length_offset;  // where its length stands …
  std::uint8_t length_size = 0;                // … and in how many octets
  std::uint64_t to = 0;                        // what stands there; 0 where there is no TO
  // Octets of memory from the TO on; nothing: not told. Known without a length_offset where other octets of
  // the message say it.
  std::optional<std::uint64_t> length;

  bool operator==(const StagMention&) const = default;
};

// Reads the Sends of one direction of a stream, in their order. The ULP is that of the first message that
// shows one.
class SendReader {
 public:
  enum class Told : std::uint8_t {
    all,     // what the message tells of memory, if anything, was appended
    unread,  // a message of the ULP that is not understood: it may tell anything
    no_ulp,  // the ULP is not known: the message may tell anything
  };
  // `send`: from the first octet on, perhaps not to the end. `from`: its sender's role.
  Told read(ByteView send, Role from, std::vector<StagMention>& out);

  [[nodiscard]] Ulp ulp() const noexcept { return ulp_; }
  // The start-up told it.
  void expect(Ulp ulp) noexcept { ulp_ = ulp; }

 private:
  Ulp ulp_ = Ulp::unknown;
};

// The Private Data of an MPA Request and Reply, without the IRD/ORD word, begin a queue of NVMe over Fabrics
// (NVMe/RDMA transport).
[[nodiscard]] bool is_nvme_startup(ByteView request, ByteView reply) noexcept;
// One end of a stream of rsockets (librdmacm), as its Private Data tell: its peer writes into a table there
// which memory it may be sent octets to next. The table's entries, and behind them the maps of riomap(),
// stand in its owner's byte order.
struct RsocketsEnd {
  StagForm form = StagForm::little_endian;
  std::uint32_t entries = 0;
  StagMention table;   // in the Private Data, with the maps
  StagMention buffer;  // the same: the memory for the first octets

  // What the peer's Write of all these octets tells of the peer's memory; nothing: it writes no entry, or
  // only a part of one.
  [[nodiscard]] std::optional<StagMention> told_by_write(std::uint32_t stag, std::uint64_t to,
                                                         ByteView octets) const noexcept;
};
// Of an MPA Request's or Reply's Private Data, without the IRD/ORD word; nothing: they are not of rsockets.
[[nodiscard]] std::optional<RsocketsEnd> read_rsockets(ByteView private_data) noexcept;
// A message begins with the headers of iSER and of an iSCSI control-type PDU (RFC 7145 §9.2, RFC 7143
// §11.2.1.2): STags only where they are announced, and an opcode of one of the ends.
[[nodiscard]] bool is_iser(ByteView message) noexcept;

// An access of the peer to an STag's memory. length 0: nothing was moved, such as by an invalidation.
struct StagAccess {
  std::uint64_t to = 0;
  std::uint64_t length = 0;
};
// What stands around the STag `stag` at octet `at` of a message of an unknown ULP: numbers that fit one of
// the accesses, or nothing (`bare`). `octets`: the message's first ones, of `message_length` in all.
// `by_owner` is left as it is by default. REQUIRES: the STag stands there in this form.
[[nodiscard]] StagMention mention_at(ByteView octets, std::uint64_t message_length, std::size_t at,
                                     std::uint32_t stag, StagForm form,
                                     std::span<const StagAccess> accesses) noexcept;
// The number that `count` hexadecimal digits at `at` write, if no further ones adjoin them.
[[nodiscard]] std::optional<std::uint64_t> number_of_digits(ByteView octets, std::size_t at,
                                                            std::size_t count) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
