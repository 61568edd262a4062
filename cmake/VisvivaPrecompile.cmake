# Headers of other people, compiled once: Eigen, fmt, GoogleTest and nlohmann/json are half of what the compiler reads.
# None of ours, so that a change of ours never compiles them again, and none that a room may not include.
#
# They hide a missing #include, so the tests of public headers never use them, nor does the preset clang. ccache does not
# keep what was compiled with them unless its checks are loosened, and what it keeps is worth more: AUTO leaves them out
# where a compiler launcher is used.
set(VISVIVA_PCH AUTO CACHE STRING "Precompiled headers: ON, OFF, or AUTO (on for this project itself without ccache)")
set_property(CACHE VISVIVA_PCH PROPERTY STRINGS AUTO ON OFF)
if(NOT VISVIVA_PCH STREQUAL AUTO)
  set(VISVIVA_USE_PCH ${VISVIVA_PCH})
elseif(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(VISVIVA_USE_PCH ON)
else()
  set(VISVIVA_USE_PCH OFF)
endif()
message(STATUS "Precompiled headers: ${VISVIVA_USE_PCH}")
if(VISVIVA_USE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # The compiler collects no garbage before it holds 1 GB: a twentieth less time for a tenth more memory.
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
endif()

set(pch_std <algorithm> <array> <cmath> <cstdint> <functional> <memory> <optional> <random> <span> <string> <string_view>
  <utility> <vector>)
set(pch_base <Eigen/Geometry> <Eigen/LU> <fmt/format.h> ${pch_std})
set(pch_headers_room ${pch_base})
set(pch_headers_room_json ${pch_base} <nlohmann/json.hpp>)
set(pch_headers_test ${pch_base} <gtest/gtest.h>)
set(pch_headers_test_json ${pch_base} <nlohmann/json.hpp> <gtest/gtest.h>)
set(pch_headers_test_plain ${pch_std} <filesystem> <nlohmann/json.hpp> <gtest/gtest.h>) # no Eigen

# visviva_precompile(TARGET SET): compile TARGET with a set of headers from above. All targets of a set share one compiled
# file, made with the options that they have in common: room sets serve libraries, test sets the programs of the tests.
function(visviva_precompile target set)
  if(NOT VISVIVA_USE_PCH)
    return()
  endif()
  set(host visviva_pch_${set})
  if(NOT TARGET ${host})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pch/${set}.cpp CONTENT "int main() {}\n")
    if(set MATCHES "^test")
      add_executable(${host} ${PROJECT_BINARY_DIR}/pch/${set}.cpp)
      target_link_libraries(${host} PRIVATE GTest::gtest visviva_test_options)
      if(set STREQUAL test_plain)
        target_link_libraries(${host} PRIVATE visviva_plain_test_options)
      endif()
    else()
      add_library(${host} OBJECT ${PROJECT_BINARY_DIR}/pch/${set}.cpp)
    endif()
    target_link_libraries(${host} PRIVATE visviva_warnings visviva_numerics)
    if(NOT set STREQUAL test_plain)
      target_link_libraries(${host} PRIVATE Eigen3::Eigen fmt::fmt)
      target_compile_definitions(${host} PRIVATE EIGEN_MAX_ALIGN_BYTES=16) # as visviva::math; the compiler tells if it differs
    endif()
    if(set MATCHES "json$|plain$")
      target_link_libraries(${host} PRIVATE nlohmann_json::nlohmann_json)
    endif()
    target_precompile_headers(${host} PRIVATE ${pch_headers_${set}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${host})
endfunction()
