# One folder, one static library. Sources are found, not listed, so that neither a source nor a test
# beside it can fall out of the build.

# The warnings and sanitizers that every target of ours is built with.
add_library(headroom_flags INTERFACE)
target_compile_options(headroom_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wnon-virtual-dtor -Wold-style-cast)
if(HEADROOM_WARNINGS_ARE_ERRORS)
  target_compile_options(headroom_flags INTERFACE -Werror)
endif()
target_include_directories(headroom_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(CMAKE_UNITY_BUILD)
  # A source is then a header of sorts, in which GCC wants no member of an unnamed type.
  target_compile_options(headroom_flags INTERFACE
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_flags INTERFACE -fsanitize=${HEADROOM_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(headroom_flags INTERFACE -fsanitize=${HEADROOM_SANITIZE})
endif()

# Tests have helpers of the same names: each of their sources is compiled by itself.
function(headroom_compile_alone)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD OFF)
endfunction()

# Headers of libraries, parsed once for many sources: HEADROOM_PRECOMPILE is `tests`, `all` or empty.
# Where sources of the product have none, a source that forgot an include does not build.
set(precompiled_headers <fmt/format.h> <tl/expected.hpp> <algorithm> <chrono> <functional> <map>
    <memory> <optional> <string> <variant> <vector>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
if(HEADROOM_PRECOMPILE STREQUAL "all")
  add_library(headroom_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(headroom_precompiled PRIVATE headroom_flags fmt::fmt tl::expected)
  target_precompile_headers(headroom_precompiled PRIVATE ${precompiled_headers})
endif()
if(HEADROOM_PRECOMPILE AND HEADROOM_TESTS)
  add_library(headroom_precompiled_tests STATIC ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(headroom_precompiled_tests PRIVATE headroom_flags fmt::fmt tl::expected
                        GTest::gmock)
  target_precompile_headers(headroom_precompiled_tests PRIVATE ${precompiled_headers}
                            <gmock/gmock.h> <gtest/gtest.h>)
endif()

# Gives a target the headers above, if there are any of that kind.
function(headroom_reuse_headers target from)
  if(TARGET ${from})
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# headroom_folder(NAME [DEPENDS folder...] [LINK library...])
#
# Builds src/NAME/*.cc into the static library headroom_NAME, several sources at a time where
# CMAKE_UNITY_BUILD is on (a third of the compiler's time), and src/NAME/*_test.cc into the test
# program NAME_test, whose tests carry the label `unit`. src/NAME/*_fuzz.cc become fuzzers.
function(headroom_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$|/main\\.cc$")

  list(TRANSFORM ARG_DEPENDS PREPEND headroom_)
  add_library(headroom_${name} STATIC ${sources})
  target_link_libraries(headroom_${name} PUBLIC headroom_flags ${ARG_DEPENDS} ${ARG_LINK})
  headroom_reuse_headers(headroom_${name} headroom_precompiled)

  if(HEADROOM_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE headroom_${name} headroom_test_support
                          GTest::gmock_main)
    headroom_reuse_headers(${name}_test headroom_precompiled_tests)
    headroom_compile_alone(${name}_test)
    # Those that pace a load in real time are not crowded: they weigh two.
    set(weight 1)
    if(name MATCHES "^(load|lab)$")
      set(weight 2)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. PROPERTIES LABELS unit TIMEOUT 120
                         PROCESSORS ${weight} DISCOVERY_TIMEOUT 60)
  endif()
  if(HEADROOM_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(target ${fuzzer} NAME_WE)
      add_executable(${target} ${fuzzer})
      target_link_libraries(${target} PRIVATE headroom_${name})
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()
