// What Wireshark looks for in a plugin: three constants and two functions, and nothing else is exported.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>

#include "compat/epan.hpp"
#include "registration.hpp"

// A constant of namespace scope is internal in C++ even here, unless it was declared extern first.
extern "C" {
#pragma GCC visibility push(default)
extern const char plugin_version[];
extern const int plugin_want_major;
extern const int plugin_want_minor;
void plugin_register(void);
std::uint32_t plugin_describe(void);
#pragma GCC visibility pop

const char plugin_version[] = IWARP_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

void plugin_register(void) {
  static proto_plugin plugin;
  plugin.register_protoinfo = iwarp::dissector::register_protocol;
  plugin.register_handoff = iwarp::dissector::register_handoff;
  proto_register_plugin(&plugin);
}

// Wireshark 4.2 and later ask what kind of plugin this is: a dissector.
std::uint32_t plugin_describe(void) {
  return 1;
}
}
