// The one file that includes epan, and the one that knows how Wireshark 4.0, 4.2, 4.4 and 4.6 differ.
//
// epan throws by longjmp: in a function that calls anything declared here no object with a destructor may be
// alive (docs/dissector.md, "Rules").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <type_traits>

#include <ws_version.h>

#define IWARP_WIRESHARK_AT_LEAST(major, minor) \
  (WIRESHARK_VERSION_MAJOR > (major) ||        \
   (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#define HAVE_PLUGINS 1
#include <wireshark.h>

#include <epan/column-info.h>
#include <epan/column-utils.h>
#include <epan/conversation.h>
#include <epan/dissectors/packet-infiniband.h>
#include <epan/dissectors/packet-iwarp-ddp-rdmap.h>
#include <epan/epan_dissect.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/frame_data.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/proto_data.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/tvbuff.h>
#include <wiretap/wtap.h>
extern "C" {  // headers that do not say so themselves
#include <epan/show_exception.h>
}
#pragma GCC diagnostic pop

namespace iwarp::dissector {

// What a heuristic dissector returns: gboolean up to 4.2, bool from 4.4.
using HeuristicResult = std::invoke_result_t<heur_dissector_t, tvbuff_t*, packet_info*, proto_tree*, void*>;

// `frame` is saved with the one of `pinfo` where that is displayed. 4.0 is given `pinfo`, later ones its
// frame_data: the overload that fits what the header declares.
inline void mark_with(void (*mark)(packet_info*, std::uint32_t), packet_info* pinfo, std::uint32_t frame) {
  mark(pinfo, frame);
}
inline void mark_with(void (*mark)(frame_data*, std::uint32_t), packet_info* pinfo, std::uint32_t frame) {
  mark(pinfo->fd, frame);
}
inline void mark_depended_upon(packet_info* pinfo, std::uint32_t frame) {
  mark_with(mark_frame_as_depended_upon, pinfo, frame);
}

// The field that has a column's text; -1 where columns are no fields (4.0).
template <typename Column>
int field_of(const Column& column) noexcept {
  if constexpr (requires { column.hf_id; }) {
    return column.hf_id;
  } else {
    return -1;
  }
}

// A preference that is on or off: gboolean up to 4.2, bool from 4.4.
template <typename Flag>
Flag flag_of(void (*)(module_t*, const char*, const char*, const char*, Flag*));
using PreferenceFlag = decltype(flag_of(prefs_register_bool_preference));

// A field's value: a part of it in 4.0, of its own in later ones.
inline fvalue_t* value_of(fvalue_t* value) noexcept {
  return value;
}
inline fvalue_t* value_of(fvalue_t& value) noexcept {
  return &value;
}

inline std::uint8_t octet_at(tvbuff_t* tvb, int offset) {
#if IWARP_WIRESHARK_AT_LEAST(4, 4)
  return tvb_get_uint8(tvb, offset);
#else
  return tvb_get_guint8(tvb, offset);
#endif
}

}  // namespace iwarp::dissector
