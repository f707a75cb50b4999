// Octets for tests: start-up frames, DDP segments (ULPDUs), FPDUs with and without markers.
//
// Made here from the RFCs' figures field by field and octet by octet, without iwarp::wire, so that a test
// compares two independent readings. Everything has a right value by default and can be set wrong:
//
//   Bytes ulpdu = send(1, text("hello"));                  // MSN 1, one segment
//   Bytes first = send(7, pattern(1000), {.last = false}); // … of two
//   Bytes rest = send(7, pattern(24), {.mo = 1000});
//   FpduStream stream(Markers::on);
//   Bytes wire = cat(stream.add(first), stream.add(rest, {.crc = Crc::wrong}));
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp::test {

// --- octets --------------------------------------------------------------------------------------------

// "0017 4143 00000000 24*00": hexadecimal digits in pairs, white space between octets as one likes, and N*
// in front of an octet repeats it N times. Aborts on anything else.
[[nodiscard]] Bytes hex(std::string_view digits);
[[nodiscard]] std::string to_hex(ByteView octets);

[[nodiscard]] Bytes text(std::string_view characters);
[[nodiscard]] Bytes zeros(std::size_t count);
// Octets without a short period; different seeds differ from the first octet on.
[[nodiscard]] Bytes pattern(std::size_t count, std::uint32_t seed = 0);
// `count` octets from `first` on, or what there is of them.
[[nodiscard]] Bytes part(ByteView octets, std::size_t first, std::size_t count = SIZE_MAX);
[[nodiscard]] Bytes cat(const std::vector<Bytes>& pieces);
template <typename... Rest>
[[nodiscard]] Bytes cat(const Bytes& first, const Rest&... rest) {
  return cat(std::vector<Bytes>{first, rest...});
}

// CRC32c by its definition, one bit at a time; `previous` is the CRC of the octets before.
[[nodiscard]] std::uint32_t bitwise_crc32c(ByteView octets, std::uint32_t previous = 0);

// --- start-up frames (RFC 5044 §7.1, RFC 6581 §6 and §9) -------------------------------------------------

struct Depths {
  bool peer_to_peer = false;  // A
  bool rtr_send = false;      // B
  bool rtr_write = false;     // C
  bool rtr_read = false;      // D
  unsigned ird = 0;
  unsigned ord = 0;
};

struct Startup {
  bool markers = false;
  bool crc = true;
  bool rejected = false;
  std::optional<bool> enhanced = {};      // S; by default set when there is a `word`
  unsigned reserved = 0;                  // low four flag bits
  std::optional<unsigned> revision = {};  // by default 2 with a `word`, else 1
  std::optional<Depths> word = {};        // put in front of private_data
  Bytes private_data = {};
  std::optional<unsigned> length = {};  // PD_Length; by default that of word and private_data
};

[[nodiscard]] Bytes ird_ord_word(const Depths& word);
[[nodiscard]] Bytes request_frame(const Startup& frame = {});
[[nodiscard]] Bytes reply_frame(const Startup& frame = {});

// --- ULPDUs (RFC 5041 §4, RFC 5040 §4, RFC 7306 §4 to §6) ------------------------------------------------

// What is seldom anything else. `stag` is the Invalidate STag of an untagged segment.
struct Ddp {
  bool last = true;
  std::uint32_t mo = 0;
  std::optional<std::uint32_t> queue = {};
  std::optional<std::uint32_t> stag = {};
  std::optional<bool> tagged = {};  // the T bit alone: the layout stays that of the message
  std::optional<unsigned> opcode = {};
  unsigned ddp_version = 1;
  unsigned ddp_reserved = 0;  // 0…15
  unsigned rdmap_version = 1;
  unsigned rdmap_reserved = 0;  // 0…3
};

[[nodiscard]] Bytes tagged_segment(unsigned opcode, std::uint32_t stag, std::uint64_t to,
                                   const Bytes& payload, const Ddp& ddp = {});
[[nodiscard]] Bytes untagged_segment(unsigned opcode, std::uint32_t queue, std::uint32_t msn,
                                     const Bytes& payload, const Ddp& ddp = {});

[[nodiscard]] Bytes write(std::uint32_t stag, std::uint64_t to, const Bytes& payload = {},
                          const Ddp& ddp = {});
[[nodiscard]] Bytes read_response(std::uint32_t stag, std::uint64_t to, const Bytes& payload = {},
                                  const Ddp& ddp = {});
[[nodiscard]] Bytes send(std::uint32_t msn, const Bytes& payload = {}, const Ddp& ddp = {});
[[nodiscard]] Bytes send_se(std::uint32_t msn, const Bytes& payload = {}, const Ddp& ddp = {});
[[nodiscard]] Bytes send_inv(std::uint32_t msn, std::uint32_t stag, const Bytes& payload = {}, Ddp ddp = {});
[[nodiscard]] Bytes send_se_inv(std::uint32_t msn, std::uint32_t stag, const Bytes& payload = {},
                                Ddp ddp = {});
[[nodiscard]] Bytes immediate(std::uint32_t msn, std::uint64_t data, const Ddp& ddp = {});
[[nodiscard]] Bytes immediate_se(std::uint32_t msn, std::uint64_t data, const Ddp& ddp = {});

struct Read {
  std::uint32_t sink_stag = 0;
  std::uint64_t sink_to = 0;
  std::uint32_t size = 0;
  std::uint32_t source_stag = 0;
  std::uint64_t source_to = 0;
};
[[nodiscard]] Bytes read_request(std::uint32_t msn, const Read& read, const Ddp& ddp = {});

struct Atomic {
  std::uint32_t id = 0;
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
  std::uint64_t data = 0;  // to add, or to swap in
  std::uint64_t mask = 0;
  std::uint64_t compare = 0;
  std::uint64_t compare_mask = ~std::uint64_t{0};
  std::uint32_t reserved = 0;  // 28 bits
};
[[nodiscard]] Bytes atomic_request(unsigned operation, std::uint32_t msn, const Atomic& atomic,
                                   const Ddp& ddp = {});
[[nodiscard]] Bytes fetch_add(std::uint32_t msn, const Atomic& atomic, const Ddp& ddp = {});
[[nodiscard]] Bytes cmp_swap(std::uint32_t msn, const Atomic& atomic, const Ddp& ddp = {});
[[nodiscard]] Bytes atomic_response(std::uint32_t msn, std::uint32_t id, std::uint64_t value,
                                    const Ddp& ddp = {});

enum class TerminateLayout : std::uint8_t {
  rfc,
  siw
};
struct Terminate {
  bool m = false;
  bool d = false;
  bool r = false;
  std::optional<unsigned> length = {};  // DDP Segment Length
  Bytes headers = {};                   // terminated DDP header, terminated RDMA header, anything else
  TerminateLayout layout = TerminateLayout::rfc;  // of the control word
  std::uint32_t msn = 1;
};
// `code`: layer, error type and error code, such as 0x1100.
[[nodiscard]] Bytes terminate(unsigned code, const Terminate& fields = {}, const Ddp& ddp = {});
// The fields of a Terminate that answers `ulpdu`: M, D, its length and DDP header; R and the RDMA header too
// when it is a whole Read Request and `rdma_header` says so.
[[nodiscard]] Terminate about(const Bytes& ulpdu, bool rdma_header = false);

// A message cut into segments of `size` octets of payload: TO or MO go up, the last one has L.
[[nodiscard]] std::vector<Bytes> write_segments(std::uint32_t stag, std::uint64_t to, const Bytes& payload,
                                                std::size_t size);
[[nodiscard]] std::vector<Bytes> read_response_segments(std::uint32_t stag, std::uint64_t to,
                                                        const Bytes& payload, std::size_t size);
[[nodiscard]] std::vector<Bytes> send_segments(std::uint32_t msn, const Bytes& payload, std::size_t size);

// --- FPDUs (RFC 5044 §4) ---------------------------------------------------------------------------------

// What goes into the CRC field: the CRC, another value, the CRC with its octets the wrong way round, or
// Framing::unused_crc.
enum class Crc : std::uint8_t {
  right,
  wrong,
  big_endian,
  unused
};

struct Framing {
  Crc crc = Crc::right;
  std::uint32_t unused_crc = 0;
  Byte pad = 0;
  std::optional<unsigned> length = {};  // ULPDU_Length
};

// One FPDU without markers.
[[nodiscard]] Bytes fpdu(const Bytes& ulpdu, const Framing& framing = {});

enum class Markers : std::uint8_t {
  off,
  on
};

// Goes into the next marker that is inserted.
struct MarkerError {
  int pointer_delta = 0;  // added to FPDUPTR
  unsigned reserved = 0;
  unsigned skip = 0;  // markers that stay right before it
};

// The octets of one direction in Full Operation, FPDU after FPDU.
class FpduStream {
 public:
  // `position` counts octets since S, the first octet of Full Operation in this direction. `framing` is used
  // where add() is given none.
  explicit FpduStream(Markers markers = Markers::off, std::uint64_t position = 0, const Framing& framing = {})
      : markers_(markers), position_(position), framing_(framing) {}

  // The next FPDU. A marker due before its first octet comes with it; one due behind its CRC does not.
  [[nodiscard]] Bytes add(const Bytes& ulpdu) { return add(ulpdu, framing_); }
  [[nodiscard]] Bytes add(const Bytes& ulpdu, const Framing& framing);
  // Octets that are no FPDU, passed on as they are.
  [[nodiscard]] Bytes garbage(const Bytes& octets);

  void break_marker(const MarkerError& error) { error_ = error; }
  void use_markers(Markers markers) { markers_ = markers; }

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }

 private:
  Markers markers_;
  std::uint64_t position_;
  Framing framing_;
  std::optional<MarkerError> error_ = {};
};

}  // namespace iwarp::test
