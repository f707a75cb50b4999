# Build options and the one function that gives a target the project's compile settings.
# SPDX-License-Identifier: GPL-2.0-or-later
option(IWARP_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(IWARP_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(IWARP_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

function(iwarp_compile_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                           -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
  if(IWARP_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(IWARP_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${IWARP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${IWARP_SANITIZE})
  endif()
endfunction()
