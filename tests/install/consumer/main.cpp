// Parses an MPA Request Frame, revision 2, CRC wanted, written out octet by octet (RFC 5044 §7.1, RFC 6581
// §6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/mpa.hpp>

#include <cstdio>

int main() {
  const iwarp::Byte octets[] = {'M', 'P', 'A', ' ', 'I',  'D',  ' ',  'R',  'e',  'q',  ' ',  'F',
                                'r', 'a', 'm', 'e', 0x50, 0x02, 0x00, 0x04, 0x00, 0x10, 0x80, 0x20};
  const auto frame = iwarp::wire::parse_startup(octets);
  if (!frame || !frame->crc || frame->markers || frame->revision != 2) return 1;
  const auto word = frame->enhanced_word();
  if (!word || word->ird != 16 || word->ord != 32 || !word->rtr_write) return 1;
  std::printf("revision %d, IRD %d, ORD %d\n", frame->revision, word->ird, word->ord);
  return 0;
}
