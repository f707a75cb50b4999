// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/link_type.hpp"

#include <iwarp/capture/record.hpp>

#include "compat/epan.hpp"

namespace iwarp::dissector {

std::uint32_t link_type_of(int encapsulation) noexcept {
  namespace link_type = capture::link_type;
  switch (encapsulation) {
    case WTAP_ENCAP_ETHERNET: return link_type::ethernet;
    case WTAP_ENCAP_SLL: return link_type::linux_sll;
    case WTAP_ENCAP_SLL2: return link_type::linux_sll2;
    case WTAP_ENCAP_RAW_IP: return link_type::raw;
    case WTAP_ENCAP_RAW_IP4: return link_type::ipv4;
    case WTAP_ENCAP_RAW_IP6: return link_type::ipv6;
    case WTAP_ENCAP_NULL: return link_type::null;
    case WTAP_ENCAP_LOOP: return link_type::loop;
    default: return 0xffffffff;
  }
}

}  // namespace iwarp::dissector
