# visviva::visviva is every room at once; find_package(visviva) gives it and each visviva::ROOM.
get_property(rooms GLOBAL PROPERTY VISVIVA_ROOMS)
list(TRANSFORM rooms PREPEND visviva_ OUTPUT_VARIABLE room_targets)
add_library(visviva_all INTERFACE)
add_library(visviva::visviva ALIAS visviva_all)
target_link_libraries(visviva_all INTERFACE ${room_targets})
set_target_properties(visviva_all PROPERTIES EXPORT_NAME visviva)
install(TARGETS visviva_all EXPORT visvivaTargets)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/visviva)
install(EXPORT visvivaTargets NAMESPACE visviva:: DESTINATION ${config_dir})
list(GET HDF5_C_LIBRARIES 0 hdf5_library) # the others are what it needs itself
get_filename_component(VISVIVA_HDF5_DIR "${hdf5_library}" DIRECTORY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/visvivaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/visvivaConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/visvivaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/visvivaConfig.cmake ${PROJECT_BINARY_DIR}/visvivaConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindVoro.cmake DESTINATION ${config_dir})
