// Writes the captures that the whole-command benchmarks read: healthy iWARP with right CRCs and
// TCP checksums.
//
//   make_capture bulk  MEGABYTES STREAMS FILE   RDMA Writes of 64 KiB in FPDUs of one 1448-octet
//                                               segment, each followed by a Send; the peer
//                                               acknowledges every second segment
//   make_capture small MEGABYTES STREAMS FILE   Sends of 64 octets both ways and Reads of 256 octets
//   make_capture open  STREAMS FILE             as many connections as told, open at the same time,
//                                               few messages
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>  // tcp flags
#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace {

using namespace iwarp;

constexpr std::size_t mss = 1448;              // beside the timestamps
constexpr std::uint16_t told_mss = 1460;       // RFC 9293 §3.7.1: without options
constexpr std::uint16_t service_port = 18515;  // of no other dissector in Wireshark
constexpr std::uint32_t write_payload = mss - 6 - wire::tagged_header_size;  // FPDU of exactly one segment

// RFC 1071 §1 before folding, in big-endian words.
std::uint64_t word_sum(ByteView octets) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < octets.size(); i += 2) sum += load_be16(octets.data() + i);
  if (octets.size() % 2 != 0) sum += std::uint64_t{octets.back()} << 8U;
  return sum;
}

class Capture {
 public:
  explicit Capture(const char* path) : file_(std::fopen(path, "wb")) {
    if (file_ == nullptr) {
      std::perror(path);
      std::exit(2);
    }
    std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
    const std::uint32_t header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 262144, 1};  // µs, Ethernet
    write(header, sizeof header);
  }
  ~Capture() { std::fclose(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  [[nodiscard]] std::uint64_t octets() const { return octets_; }

  // One TCP segment of stream `stream`, from its initiator or to it, with timestamps option; a SYN tells the
  // MSS.
  void segment(unsigned stream, bool from_initiator, std::uint32_t seq, std::uint32_t ack, std::uint8_t flags,
               const Bytes& payload) {
    const bool is_syn = (flags & tcp::syn) != 0;
    const std::size_t options = is_syn ? 16 : 12;
    const std::size_t ip_size = 20 + 20 + options + payload.size();
    Bytes& frame = frame_;
    frame.assign(14 + 20 + 20 + options, 0);
    frame[12] = 0x08;
    Byte* ip = frame.data() + 14;
    ip[0] = 0x45;
    store_be16(ip + 2, static_cast<std::uint16_t>(ip_size));
    store_be16(ip + 4, ++ip_id_);
    ip[6] = 0x40;
    ip[8] = 64;
    ip[9] = 6;
    const std::uint32_t initiator = 0x0a000001 + (stream >> 14U << 8U);
    const std::uint32_t responder = 0x0a800001;
    store_be32(ip + 12, from_initiator ? initiator : responder);
    store_be32(ip + 16, from_initiator ? responder : initiator);
    store_be16(ip + 10, fold(word_sum(ByteView(ip, 20))));
    Byte* tcp = ip + 20;
    const auto port = static_cast<std::uint16_t>(20000 + stream % 16384);
    store_be16(tcp, from_initiator ? port : service_port);
    store_be16(tcp + 2, from_initiator ? service_port : port);
    store_be32(tcp + 4, seq);
    store_be32(tcp + 8, ack);
    tcp[12] = static_cast<Byte>((20 + options) / 4 << 4U);
    tcp[13] = flags;
    store_be16(tcp + 14, 0xffff);
    tcp[20] = tcp[21] = 1;
    tcp[22] = 8;
    tcp[23] = 10;
    store_be32(tcp + 24, ++ticks_);
    if (is_syn) {
      tcp[32] = 2;
      tcp[33] = 4;
      store_be16(tcp + 34, told_mss);
    }
    std::uint64_t sum = word_sum(ByteView(ip + 12, 8)) + 6 + 20 + options + payload.size();
    sum += word_sum(ByteView(tcp, 20 + options)) + word_sum(payload);
    store_be16(tcp + 16, fold(sum));
    time_us_ += 12;
    const std::uint32_t length = static_cast<std::uint32_t>(frame.size() + payload.size());
    const std::uint32_t record[4] = {static_cast<std::uint32_t>(1'700'000'000 + time_us_ / 1'000'000),
                                     static_cast<std::uint32_t>(time_us_ % 1'000'000), length, length};
    write(record, sizeof record);
    write(frame.data(), frame.size());
    write(payload.data(), payload.size());
  }

 private:
  static std::uint16_t fold(std::uint64_t sum) {
    while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
    return static_cast<std::uint16_t>(~sum);
  }
  void write(const void* octets, std::size_t count) {
    if (count != 0 && std::fwrite(octets, 1, count, file_) != count) {
      std::perror("writing the capture");
      std::exit(2);
    }
    octets_ += count;
  }

  std::FILE* file_;
  Bytes frame_;
  std::uint64_t octets_ = 0;
  std::uint64_t time_us_ = 0;
  std::uint32_t ticks_ = 0;
  std::uint16_t ip_id_ = 0;
};

Bytes fpdu(const wire::DdpHeader& ddp, const Bytes& rest) {
  Bytes octets(2);
  wire::encode(ddp, octets);
  octets.insert(octets.end(), rest.begin(), rest.end());
  const auto ulpdu = static_cast<std::uint16_t>(octets.size() - 2);
  store_be16(octets.data(), ulpdu);
  octets.resize(octets.size() + wire::pad_size(ulpdu));
  const std::uint32_t crc = wire::crc32c(octets);
  octets.resize(octets.size() + 4);
  store_le32(octets.data() + octets.size() - 4, crc);
  return octets;
}

wire::DdpHeader tagged(wire::Opcode opcode, std::uint32_t stag, std::uint64_t to, bool last) {
  wire::DdpHeader ddp;
  ddp.ddp_control = static_cast<std::uint8_t>(0x81U | (last ? 0x40U : 0U));
  ddp.rdmap_control = static_cast<std::uint8_t>(0x40U | static_cast<unsigned>(opcode));
  ddp.stag = stag;
  ddp.to = to;
  return ddp;
}

wire::DdpHeader untagged(wire::Opcode opcode, std::uint32_t msn) {
  wire::DdpHeader ddp;
  ddp.ddp_control = 0x41;
  ddp.rdmap_control = static_cast<std::uint8_t>(0x40U | static_cast<unsigned>(opcode));
  ddp.queue = wire::queue_of(opcode);
  ddp.msn = msn;
  return ddp;
}

class Stream {
 public:
  Stream(Capture& capture, unsigned number) : capture_(capture), number_(number) {}

  void open() {
    capture_.segment(number_, true, seq_[0] - 1, 0, tcp::syn, {});
    capture_.segment(number_, false, seq_[1] - 1, seq_[0], tcp::syn | tcp::ack, {});
    ack(0);
    wire::StartupFrame frame;
    frame.crc = frame.enhanced = true;
    frame.revision = 2;
    frame.private_data_length = 4;
    Bytes word(4);
    wire::EnhancedWord depths;
    depths.ird = depths.ord = 16;
    wire::encode(depths, word.data());
    frame.private_data = word;
    Bytes octets;
    wire::encode(frame, octets);
    send(0, octets);
    frame.kind = wire::StartupKind::reply;
    octets.clear();
    wire::encode(frame, octets);
    send(1, octets);
  }

  void send(unsigned from, const Bytes& octets) {
    capture_.segment(number_, from == 0, seq_[from], seq_[1 - from], tcp::ack | tcp::psh, octets);
    seq_[from] += static_cast<std::uint32_t>(octets.size());
  }
  void ack(unsigned from) { capture_.segment(number_, from == 0, seq_[from], seq_[1 - from], tcp::ack, {}); }

  void write_64k() {
    const Bytes full(write_payload, Byte{0x5a});
    std::uint64_t to = 0x7f0000000000;
    for (std::uint32_t left = 65536; left > 0;) {
      const std::uint32_t size = left < write_payload ? left : write_payload;
      send(0, fpdu(tagged(wire::Opcode::rdma_write, 0x1234ab01, to, size == left),
                   Bytes(full.begin(), full.begin() + size)));
      if (++sent_ % 2 == 0) ack(1);
      to += size;
      left -= size;
    }
    send_message(0, 32);
    ack(1);
  }

  void send_message(unsigned from, std::size_t size) {
    send(from, fpdu(untagged(wire::Opcode::send, ++msn_[from]), Bytes(size, Byte{0x33})));
  }

  void read_256() {
    wire::ReadRequest request{0x00a1b202, 0x7f0000001000, 256, 0x1234ab01, 0x2000};
    Bytes header;
    wire::encode(request, header);
    send(0, fpdu(untagged(wire::Opcode::read_request, ++reads_), header));
    send(1, fpdu(tagged(wire::Opcode::read_response, request.sink_stag, request.sink_to, true),
                 Bytes(256, Byte{0x77})));
  }

 private:
  Capture& capture_;
  unsigned number_;
  std::uint32_t seq_[2] = {1001, 900001};
  std::uint32_t msn_[2] = {0, 0};
  std::uint32_t reads_ = 0;
  std::uint64_t sent_ = 0;
};

int usage() {
  std::fputs("usage: make_capture bulk|small MEGABYTES STREAMS FILE | make_capture open STREAMS FILE\n",
             stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const bool open_only = argc == 4 && words[1] == "open";
  if (!open_only && (argc != 5 || (words[1] != "bulk" && words[1] != "small"))) return usage();
  const std::uint64_t limit = open_only ? 0 : std::strtoull(argv[2], nullptr, 10) * 1'000'000;
  const unsigned count = static_cast<unsigned>(std::strtoul(argv[argc - 2], nullptr, 10));
  if (count == 0) return usage();
  Capture capture(argv[argc - 1]);
  std::vector<Stream> streams;
  for (unsigned i = 0; i < count; ++i) streams.emplace_back(capture, i);
  for (Stream& stream : streams) stream.open();
  if (open_only) {
    for (int round = 0; round < 4; ++round) {
      for (Stream& stream : streams) stream.read_256();
    }
    return 0;
  }
  while (capture.octets() < limit) {
    for (Stream& stream : streams) {
      if (capture.octets() >= limit) break;
      if (words[1] == "bulk") {
        stream.write_64k();
      } else {
        stream.send_message(0, 64);
        stream.send_message(1, 64);
        stream.read_256();
      }
    }
  }
  return 0;
}
