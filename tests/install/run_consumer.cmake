# Installs BUILD_DIR into a new prefix, then configures, builds and runs a project that knows nothing but that prefix:
# PROJECT_DIR, or the CMake block and the C++ example of README.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${text}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --config ${CONFIG})
if(README)
  set(PROJECT_DIR ${WORK_DIR}/source)
  run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/extract_readme.py ${README} ${PROJECT_DIR})
endif()
run(${CMAKE_COMMAND} -S ${PROJECT_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS}
  -D CMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK_DIR}/bin)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG})

file(GLOB_RECURSE programs ${WORK_DIR}/bin/*)
if(NOT programs)
  message(FATAL_ERROR "the project of ${PROJECT_DIR} built no program")
endif()
foreach(program ${programs})
  run(${program})
endforeach()
