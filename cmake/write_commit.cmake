# Writes HEADER (if it changes) and HEADER.d: see VisvivaVersion.cmake.
set(commit unknown)
set(watched ${CMAKE_CURRENT_LIST_FILE}) # a dependency file without dependencies would count as missing
function(ask_git result)
  execute_process(COMMAND git -C ${SOURCE_DIR} ${ARGN}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    set(answer "")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

# A copy of the sources inside somebody else's repository must not report that one's commit.
ask_git(top rev-parse --show-toplevel)
file(REAL_PATH ${SOURCE_DIR} source)
if(top STREQUAL source)
  ask_git(answer rev-parse --short=12 HEAD)
  if(answer)
    set(commit ${answer})
  endif()
  # The reflog changes with every commit and checkout; HEAD alone only with a change of branch.
  foreach(file HEAD logs/HEAD)
    ask_git(path rev-parse --path-format=absolute --git-path ${file})
    if(path AND EXISTS ${path})
      list(APPEND watched ${path})
    endif()
  endforeach()
endif()

file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT [[
#pragma once

#include <string_view>

namespace visviva {
inline constexpr std::string_view kCommit = "@commit@";
}  // namespace visviva
]])
set(paths ${HEADER} ${watched})
list(TRANSFORM paths REPLACE " " "\\\\ ")
list(POP_FRONT paths target)
list(JOIN paths " " dependencies)
file(WRITE ${HEADER}.d "${target}: ${dependencies}\n")
