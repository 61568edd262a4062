# What every room is compiled with. Warnings are a matter of this project, so they are not exported.
add_library(visviva_warnings INTERFACE)
target_compile_options(visviva_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow
  $<$<BOOL:${VISVIVA_WARNINGS_AS_ERRORS}>:-Werror>
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=) # an assertion names src/core/log.cpp, wherever the sources lie

# Same bits for every compiler: no contraction of a*b+c, and never fast-math.
# Eigen types in public structs need no more than 16-byte alignment, with or without AVX.
add_library(visviva_numerics INTERFACE)
target_compile_options(visviva_numerics INTERFACE -ffp-contract=off -fno-math-errno)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Inline functions of public headers must be the same in the library and in the programs that use it, whatever their
# build type: so the library's decision is a plain 0 or 1 that is exported with visviva::core.
set(VISVIVA_ASSERTS AUTO CACHE STRING "VISVIVA_ASSERT: ON, OFF, or AUTO (on in Debug and RelWithDebInfo)")
set_property(CACHE VISVIVA_ASSERTS PROPERTY STRINGS AUTO ON OFF)
if(NOT VISVIVA_ASSERTS STREQUAL AUTO)
  set(VISVIVA_ENABLE_ASSERTS $<BOOL:${VISVIVA_ASSERTS}>)
elseif(multi_config)
  set(VISVIVA_ENABLE_ASSERTS $<CONFIG:Debug,RelWithDebInfo>)
elseif(CMAKE_BUILD_TYPE MATCHES "^(Debug|RelWithDebInfo)$")
  set(VISVIVA_ENABLE_ASSERTS 1)
else()
  set(VISVIVA_ENABLE_ASSERTS 0)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(VISVIVA_CCACHE ccache)
  mark_as_advanced(VISVIVA_CCACHE)
  if(VISVIVA_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${VISVIVA_CCACHE})
  endif()
endif()

if(VISVIVA_SANITIZE)
  add_compile_options(-fsanitize=${VISVIVA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${VISVIVA_SANITIZE})
endif()
if(VISVIVA_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

include(VisvivaPrecompile)

# visviva_add_room(NAME USES rooms... SOURCES files... HEADERS files... [LINK libs...] [LINK_PRIVATE libs...])
# One room = one target whose public links are the arrows of ARCHITECTURE.md.
function(visviva_add_room name)
  cmake_parse_arguments(ROOM "" "" "USES;SOURCES;HEADERS;LINK;LINK_PRIVATE" ${ARGN})
  list(TRANSFORM ROOM_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/visviva/${name}/)
  list(TRANSFORM ROOM_USES PREPEND visviva::)
  add_library(visviva_${name} STATIC ${ROOM_SOURCES})
  add_library(visviva::${name} ALIAS visviva_${name})
  target_sources(visviva_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${ROOM_HEADERS})
  target_include_directories(visviva_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(visviva_${name} PUBLIC cxx_std_20)
  target_link_libraries(visviva_${name} PUBLIC ${ROOM_USES} ${ROOM_LINK}
    PRIVATE ${ROOM_LINK_PRIVATE} $<BUILD_INTERFACE:visviva_warnings> $<BUILD_INTERFACE:visviva_numerics>)
  set_target_properties(visviva_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS visviva_${name} EXPORT visvivaTargets FILE_SET HEADERS)
  if(ROOM_LINK_PRIVATE MATCHES nlohmann)
    visviva_precompile(visviva_${name} room_json)
  elseif(NOT name STREQUAL core) # which may not see Eigen
    visviva_precompile(visviva_${name} room)
  endif()
  set_property(GLOBAL APPEND PROPERTY VISVIVA_ROOMS ${name})
  set_property(GLOBAL APPEND PROPERTY VISVIVA_PUBLIC_HEADERS ${ROOM_HEADERS})
endfunction()

# visviva_add_lanes(ROOM [AVX2 files...] [AVX512 files...])
# Loops that are compiled once more for each instruction set of x86; the room's VISVIVA_X86_LANES says that they are
# there, and the program chooses at run time.
function(visviva_add_lanes name)
  cmake_parse_arguments(LANES "" "" "AVX2;AVX512" ${ARGN})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  target_sources(visviva_${name} PRIVATE ${LANES_AVX2} ${LANES_AVX512})
  target_compile_definitions(visviva_${name} PRIVATE VISVIVA_X86_LANES)
  set_source_files_properties(${LANES_AVX2} PROPERTIES COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
  if(LANES_AVX512)
    set_source_files_properties(${LANES_AVX512} PROPERTIES
      COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512vl;-mprefer-vector-width=512" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
