# visviva_generate_commit(TARGET): gives TARGET the header visviva_commit.hpp with the git commit of the source tree.
# The header is written anew when HEAD moves, and only its includer is compiled then. The script tells by a dependency
# file which files of git to watch: if they are gone later, it runs again and writes "unknown" instead of failing.
function(visviva_generate_commit target)
  set(header ${PROJECT_BINARY_DIR}/generated/visviva_commit.hpp)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D HEADER=${header}
      -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
    DEPFILE ${header}.d
    COMMENT "Reading the git commit"
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
