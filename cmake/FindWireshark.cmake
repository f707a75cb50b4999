# Wireshark's dissection library, for plugins. Debian's libwireshark-dev comes with wireshark.pc; WiresharkConfig.cmake,
# which other builds of Wireshark install, tells the same.
#
#   Wireshark::epan          headers and libraries
#   Wireshark_PREFIX         where Wireshark is installed
#   Wireshark_PLUGIN_LIBDIR  the folder of its plugins, version included: dissectors are in epan below it
#   Wireshark_VERSION
# SPDX-License-Identifier: GPL-2.0-or-later
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(WIRESHARK QUIET IMPORTED_TARGET wireshark)
endif()
if(WIRESHARK_FOUND)
  set(Wireshark_VERSION "${WIRESHARK_VERSION}")
  pkg_get_variable(Wireshark_PREFIX wireshark prefix)
  pkg_get_variable(Wireshark_PLUGIN_LIBDIR wireshark plugindir)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wireshark REQUIRED_VARS Wireshark_PLUGIN_LIBDIR WIRESHARK_FOUND
                                  VERSION_VAR Wireshark_VERSION)
if(Wireshark_FOUND AND NOT TARGET Wireshark::epan)
  add_library(Wireshark::epan INTERFACE IMPORTED)
  target_include_directories(Wireshark::epan SYSTEM INTERFACE ${WIRESHARK_INCLUDE_DIRS})
  target_link_libraries(Wireshark::epan INTERFACE PkgConfig::WIRESHARK)
endif()
