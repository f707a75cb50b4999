// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/guarded_call.hpp"

#ifdef __clang__  // warns of it in macros of others' headers, too: in Wireshark's TRY
#pragma clang diagnostic ignored "-Wdeprecated-volatile"
#endif

namespace iwarp::dissector {
namespace {

// What is lent and must come back as it was.
struct Lent {
  explicit Lent(const packet_info& pinfo) noexcept
      : ptype(pinfo.ptype),
        from(pinfo.srcport),
        to(pinfo.destport),
        can_desegment(pinfo.can_desegment),
        tracking(pinfo.want_pdu_tracking),
        fragmented(pinfo.fragmented) {}

  void give_back(packet_info& pinfo) const noexcept {
    pinfo.ptype = ptype;
    pinfo.srcport = from;
    pinfo.destport = to;
    pinfo.can_desegment = can_desegment;
    pinfo.want_pdu_tracking = tracking;
    pinfo.fragmented = fragmented;
  }

  port_type ptype;
  std::uint32_t from;
  std::uint32_t to;
  std::uint16_t can_desegment;
  std::uint16_t tracking;
  decltype(packet_info::fragmented) fragmented;
};
static_assert(std::is_trivially_destructible_v<Lent>);

}  // namespace

bool call_guarded(const Frame& frame, proto_tree* tree, tvbuff_t* octets, UlpCall call, void* data,
                  std::uint32_t from, std::uint32_t to) {
  packet_info* const pinfo = frame.pinfo;
  const Lent lent(*pinfo);
  pinfo->ptype = PT_IWARP_MPA;
  pinfo->srcport = from;
  pinfo->destport = to;
  pinfo->can_desegment = 0;
  pinfo->fragmented = false;
  volatile bool taken = false;
  TRY {
    taken = call(octets, pinfo, tree, data);
  }
  CATCH_NONFATAL_ERRORS {
    show_exception(octets, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
  }
  ENDTRY;
  lent.give_back(*pinfo);
  return taken;
}

}  // namespace iwarp::dissector
