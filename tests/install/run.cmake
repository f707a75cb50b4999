# Installs a build below a prefix of its own and uses the installation as somebody else would: through
# find_package() and through pkg-config. Parameters (-D): BUILD, WORK, CXX, FLAGS, LIBDIR, PKG_CONFIG, READELF, CONSUMER.
# SPDX-License-Identifier: GPL-2.0-or-later
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/installed")

# Moved after installation, it must still work.
file(RENAME "${WORK}/installed" "${WORK}/prefix")
run(${CMAKE_COMMAND} "-DREADELF=${READELF}" "-DTREE=${WORK}/prefix" -P "${CMAKE_CURRENT_LIST_DIR}/runpath.cmake")

run(${CMAKE_COMMAND} -S "${CONSUMER}" -B "${WORK}/consumer" -G Ninja "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build "${WORK}/consumer")
run("${WORK}/consumer/consumer")
run("${WORK}/consumer/capture_consumer")
set(root "${CONSUMER}/../../..")
execute_process(COMMAND "${WORK}/consumer/reads" "${root}/captures/real/03d-burst-readmany.pcap"
                OUTPUT_FILE "${WORK}/reads.txt" COMMAND_ERROR_IS_FATAL ANY)
run(${CMAKE_COMMAND} -E compare_files "${WORK}/reads.txt" "${root}/docs/examples/reads.txt")

set(ENV{PKG_CONFIG_PATH} "${WORK}/prefix/${LIBDIR}/pkgconfig")
set(ENV{LD_LIBRARY_PATH} "${WORK}/prefix/${LIBDIR}")
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
foreach(pair "main iwarpstate" "capture iwarpstate-capture")
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 source)
  list(GET pair 1 package)
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs ${STATIC} ${package} OUTPUT_VARIABLE options
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  run("${CXX}" -std=c++20 ${flags} "${CONSUMER}/${source}.cpp" ${options} -o "${WORK}/${source}")
  run("${WORK}/${source}")
endforeach()

# The program finds its libraries without LD_LIBRARY_PATH. The loader takes $ORIGIN from /proc, which a bare chroot lacks.
if(EXISTS "${WORK}/prefix/bin/iwarp-analyze" AND EXISTS /proc/self/exe)
  unset(ENV{LD_LIBRARY_PATH})
  run("${WORK}/prefix/bin/iwarp-analyze" --version)
endif()
