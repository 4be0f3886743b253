# cmake --install: <prefix>/bin/faketensor, the layers' libraries, the headers, and a package configuration, so that
#
#     find_package(faketensor REQUIRED)
#     target_link_libraries(mine PRIVATE faketensor::faketensor)
#
# is all a user writes. The headers keep their paths from the repository's root ("core/tensor/dtype.h") under
# <prefix>/include/faketensor, which is the one include directory users get. faketensor::faketensor is the whole library;
# faketensor::<layer> is one layer with what it stands on.
if(EMSCRIPTEN OR FAKETENSOR_FETCHED)
  return()
endif()
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY FAKETENSOR_LAYERS)
list(REMOVE_ITEM layers replay)  # no part of the product
list(TRANSFORM layers PREPEND faketensor_ OUTPUT_VARIABLE targets)

add_library(faketensor_all INTERFACE)
target_link_libraries(faketensor_all INTERFACE ${targets})
set_target_properties(faketensor_all PROPERTIES EXPORT_NAME faketensor)
add_library(faketensor::faketensor ALIAS faketensor_all)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/faketensor)
install(TARGETS ${targets} faketensor_all EXPORT faketensor ARCHIVE COMPONENT library)
install(EXPORT faketensor NAMESPACE faketensor:: FILE faketensorTargets.cmake DESTINATION ${package} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faketensor
        COMPONENT library FILES_MATCHING PATTERN *.h PATTERN core/replay EXCLUDE)
if(TARGET faketensor_command_line)
  install(TARGETS faketensor_command_line COMPONENT command)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/faketensorConfig.cmake.in ${PROJECT_BINARY_DIR}/faketensorConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/faketensorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/faketensorConfig.cmake ${PROJECT_BINARY_DIR}/faketensorConfigVersion.cmake
        DESTINATION ${package} COMPONENT library)
