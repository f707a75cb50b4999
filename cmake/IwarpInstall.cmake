# Installation: libraries, headers, program, CMake package and pkg-config files. Components: runtime, devel, tools.
# SPDX-License-Identifier: GPL-2.0-or-later
include(CMakePackageConfigHelpers)
set(iwarp_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/iwarpstate")

set(iwarp_libraries iwarpstate)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/libiwarpstate/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT devel)
if(TARGET iwarpstate_capture)
  list(APPEND iwarp_libraries iwarpstate_capture)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/libiwarpstate/capture/include/"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT devel)
endif()
install(TARGETS ${iwarp_libraries} EXPORT iwarpstate
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT devel
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel)
if(TARGET iwarp-analyze)
  install(TARGETS iwarp-analyze RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()

# find_package(iwarpstate): iwarpstate::iwarpstate, iwarpstate::capture
install(EXPORT iwarpstate NAMESPACE iwarpstate:: FILE iwarpstateTargets.cmake DESTINATION "${iwarp_cmake_dir}"
        COMPONENT devel)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/iwarpstateConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/iwarpstateConfig.cmake" INSTALL_DESTINATION "${iwarp_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/iwarpstateConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/iwarpstateConfig.cmake" "${PROJECT_BINARY_DIR}/iwarpstateConfigVersion.cmake"
        DESTINATION "${iwarp_cmake_dir}" COMPONENT devel)

# pkg-config: the prefix follows from where the .pc file lies, so that an installation can be moved.
set(iwarp_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(iwarp_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${iwarp_pkgconfig_dir}" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(iwarp_pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(directory LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
    set(iwarp_pc_${directory} "${CMAKE_INSTALL_${directory}}")
  else()
    set(iwarp_pc_${directory} "\${prefix}/${CMAKE_INSTALL_${directory}}")
  endif()
endforeach()
foreach(name iwarpstate iwarpstate-capture)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${iwarp_pkgconfig_dir}" COMPONENT devel)
endforeach()
