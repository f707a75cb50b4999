# Build options, and the functions that give the project's targets their compile and link settings.
# SPDX-License-Identifier: GPL-2.0-or-later
option(BUILD_SHARED_LIBS "Build shared libraries" ON)
option(IWARP_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(IWARP_BUILD_FUZZERS "Build the libFuzzer programs (clang only)" OFF)
option(IWARP_BUILD_BENCH "Build the google-benchmark programs" OFF)
option(IWARP_WARNINGS_AS_ERRORS "Treat warnings of the compilers that CI has (g++ 12, clang 14) as errors" OFF)
option(IWARP_COVERAGE "Record line and branch coverage (g++)" OFF)
set(IWARP_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")
option(IWARP_PRECOMPILED_HEADERS "Compile the headers that most files include once for each target" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Warnings, sanitizers and coverage for any target of this project.
function(iwarp_compile_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                           -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # by names of other files in the same unit
  endif()
  # Other compilers find new things to warn of, which shall keep nobody from building.
  if(IWARP_WARNINGS_AS_ERRORS AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(IWARP_SANITIZE)
    target_compile_definitions(${target} PRIVATE IWARP_SANITIZED)  # the compilers' own macros differ
    target_compile_options(${target} PRIVATE -fsanitize=${IWARP_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # sanitizers make g++ 12 see uninitialised values in <regex>
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${IWARP_SANITIZE})
  endif()
  if(IWARP_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# iwarp_precompile(<target> <header>...): these headers, and those of the standard library that most files include, are compiled
# once for the target: they are most of what a build's time goes to. Not in every build (release and coverage have none): a file
# that lacks an #include would not be noticed.
function(iwarp_precompile target)
  if(IWARP_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <functional> <map> <memory> <optional> <set> <span>
                              <string> <vector>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # g++ 12 takes them for our own then, and warns of what std::string's + does
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
    endif()
  endif()
endfunction()

# Link-time optimisation pays where a frame passes through many small functions (docs/performance.md).
option(IWARP_LTO "Optimise at link time" OFF)
if(IWARP_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_link_options(-flto=auto)  # on all processors
  endif()
endif()

# g++ clears a fact's 100 to 250 octets with x86's REP STOS, which takes some 30 cycles before it begins: three of them for
# each FPDU are 3 % of the analyzer's time.
include(CheckCXXCompilerFlag)
set(iwarp_clearing -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_cxx_compiler_flag(${iwarp_clearing} IWARP_HAS_MEMSET_STRATEGY)
if(IWARP_HAS_MEMSET_STRATEGY)
  add_compile_options(${iwarp_clearing})
  add_link_options(${iwarp_clearing})  # where code is made at link time
endif()

# iwarp_find_libraries(<target> <folder>): where the target finds this project's libraries: in <folder>, seen from where it
# lies. So an installation works wherever it is moved to; in the system's own directories the loader looks anyway. In the build
# tree the libraries lie as they are installed, and RUNPATH is the same: one that CMake replaces when it installs ends with an
# empty element, which to the loader is the directory that the program is started in.
function(iwarp_find_libraries target folder)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN${folder}")
  endif()
endfunction()

# Objects that become part of libraries. What they export the public headers say (`#pragma GCC visibility push(default)`);
# all else is hidden. Calls inside a library are its own: without the flag below every one of them goes through the PLT and
# nothing is inlined, which costs a tenth of the analyzer's time.
function(iwarp_object_settings target)
  iwarp_compile_settings(${target})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(BUILD_SHARED_LIBS)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# What an installed library has beyond that: a soname by major version, and no exported symbol outside namespace iwarp,
# such as the standard library's templates.
function(iwarp_library_settings target)
  iwarp_compile_settings(${target})
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)  # as in iwarp_object_settings
    target_link_options(${target} PRIVATE "LINKER:-Bsymbolic-functions")
    set(script "${PROJECT_SOURCE_DIR}/cmake/exports.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
    if(NOT IWARP_SANITIZE)  # clang leaves the sanitizers' own symbols to the program
      target_link_options(${target} PRIVATE "LINKER:--no-undefined")
    endif()
  endif()
endfunction()
