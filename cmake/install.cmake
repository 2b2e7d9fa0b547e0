# `make install`: the library, its headers and a package that find_package(jsdiv) finds.
include(CMakePackageConfigHelpers)

install(TARGETS jsdiv EXPORT jsdiv ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jsdiv DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/jsdiv)
install(EXPORT jsdiv FILE jsdivTargets.cmake NAMESPACE jsdiv:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jsdiv)
configure_package_config_file(cmake/jsdivConfig.cmake.in jsdivConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jsdiv)
write_basic_package_version_file(jsdivConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jsdivConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/jsdivConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jsdiv)
