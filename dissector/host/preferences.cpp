// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/preferences.hpp"

#include "compat/epan.hpp"

namespace iwarp::dissector {
namespace {

constexpr guint32 max_port = 65535;

// epan keeps pointers to these.
PreferenceFlag state = true;
PreferenceFlag ids_in_info = false;
PreferenceFlag strict = false;
range_t* ports = nullptr;

Preferences chosen;

void apply() noexcept {
  chosen.state = state != 0;
  chosen.ids_in_info = ids_in_info != 0;
  chosen.strict = strict != 0;
}

}  // namespace

const Preferences& preferences() noexcept {
  return chosen;
}

bool is_port_tried(std::uint16_t one, std::uint16_t other) noexcept {
  return ports == nullptr || value_is_in_range(ports, one) || value_is_in_range(ports, other);
}

void register_preferences(int protocol) {
  module_t* const module = prefs_register_protocol(protocol, apply);
  prefs_register_bool_preference(
      module, "state", "Show the state after each frame",
      "The subtree \"iWARP state after this frame\". Without it trees are quicker, and "
      "filters and columns of iwarp.state and iwarp.qp_state match nothing.",
      &state);
  prefs_register_bool_preference(module, "ids_in_info", "Show the IDs of findings in Info",
                                 "DDP-MSNGAP: MSN 9 on queue 0 where 7 is due, not only the words.",
                                 &ids_in_info);
  prefs_register_bool_preference(
      module, "strict", "Deviations known from products at full severity",
      "Without it they count one or two levels less. The same as iwarp-analyze --strict.", &strict);
  range_convert_str(wmem_epan_scope(), &ports, "1-65535", max_port);
  prefs_register_range_preference(
      module, "ports", "TCP ports to try",
      "iWARP is looked for on connections with one of these ports at either end. It is "
      "known on any port by its octets; fewer ports are quicker on captures with much "
      "other traffic.",
      &ports, max_port);
}

}  // namespace iwarp::dissector
