# visviva_embed_page(TARGET): gives TARGET the source file report_page.cpp with the page of reports, bundled from web/
# by node. Without node and npm, or with VISVIVA_WEB=OFF, the page is empty and the program says so.
find_program(VISVIVA_NODE NAMES node nodejs)
find_program(VISVIVA_NPM npm)
mark_as_advanced(VISVIVA_NODE VISVIVA_NPM)
if(VISVIVA_NODE AND VISVIVA_NPM)
  set(tools_found TRUE)
else()
  set(tools_found FALSE)
endif()
if(VISVIVA_WEB STREQUAL AUTO)
  set(VISVIVA_HAS_PAGE ${tools_found})
  if(NOT tools_found)
    message(STATUS "node or npm is missing: the program is built without the page of reports")
  endif()
elseif(VISVIVA_WEB AND NOT tools_found)
  message(FATAL_ERROR "VISVIVA_WEB is ON, but node or npm is missing")
else()
  set(VISVIVA_HAS_PAGE ${VISVIVA_WEB})
endif()

function(visviva_embed_page target)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/report_template.html)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/report_page.cpp)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake)
  target_sources(${target} PRIVATE ${source})
  if(NOT VISVIVA_HAS_PAGE)
    add_custom_command(OUTPUT ${source} COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -P ${embed} DEPENDS ${embed} VERBATIM)
    return()
  endif()
  # Packages go beside the sources of the page, where node looks for them, once for each state of the lock file.
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/node_modules.stamp)
  set(install ${PROJECT_SOURCE_DIR}/cmake/InstallNodeModules.cmake)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DNPM=${VISVIVA_NPM} -DWEB=${web} -DSTAMP=${stamp} -P ${install}
    DEPENDS ${web}/package.json ${web}/package-lock.json ${install}
    COMMENT "Installing what the page of reports is made of" VERBATIM)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(OUTPUT ${page}
    COMMAND ${VISVIVA_NODE} ${web}/build.mjs --out ${page}
    DEPENDS ${stamp} ${web}/build.mjs ${page_sources}
    COMMENT "Bundling the page of reports" VERBATIM)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DPAGE=${page} -P ${embed}
    DEPENDS ${page} ${embed} VERBATIM)
endfunction()
