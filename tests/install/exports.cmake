# Fails when the shared library LIBRARY exports a symbol outside namespace iwarp, or none at all. NM: the tool nm.
# SPDX-License-Identifier: GPL-2.0-or-later
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${NM}" --dynamic --defined-only --demangle --format=posix "${LIBRARY}"
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[][;]" "_" symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
set(count 0)
list(REMOVE_ITEM symbols "")
foreach(symbol IN LISTS symbols)
  math(EXPR count "${count} + 1")
  if(NOT symbol MATCHES "^((typeinfo|typeinfo name|vtable|VTT|guard variable|construction vtable) for |(non-virtual|virtual) thunk to )?iwarp::")
    message(SEND_ERROR "exported: ${symbol}")
  endif()
endforeach()
if(count EQUAL 0)
  message(SEND_ERROR "${LIBRARY} exports nothing")
endif()
