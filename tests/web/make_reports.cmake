# cmake -DPROGRAM=visviva -DSOURCE=root -DFOLDER=folder [-DLARGE=ON] -P make_reports.cmake
# Writes the reports that web/tests/reports.test.mjs opens, and the tables that it compares them with.
function(visviva)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "visviva ${ARGN} failed with code ${code}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(run name scene)
  visviva(run ${scene} --quiet --csv --out ${name} --report ${name}.html ${ARGN})
endfunction()

function(solve name cases)
  visviva(impact ${SOURCE}/scenes/impact/${cases}.json --json --report ${name}.html)
  file(WRITE ${FOLDER}/${name}.json "${output}")
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
run(ellipsoid ${SOURCE}/scenes/bouncing_ellipsoid.json)
run(box_of_bodies ${SOURCE}/scenes/box_of_200.json --duration 3)
run(dice_tray ${SOURCE}/scenes/dice_tray.json)
run(case3 ${SOURCE}/scenes/lgvci/case3.json --duration 50)
run(hostile ${SOURCE}/tests/web/hostile.json)
solve(impact icosahedron_tetrahedron)
solve(impacts figure_6)
if(LARGE)
  run(large ${SOURCE}/scenes/box_of_2000.json)
endif()
