# What `make install` installs: the command, the benches, the library, its headers, and what lets others find them. Components are
# packages: tools/make_debs.
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hooke)
install(TARGETS hooke EXPORT hookeTargets LIBRARY COMPONENT libhooke NAMELINK_COMPONENT libhooke-dev)
install(TARGETS hooke_command COMPONENT hooke)
if(TARGET hooke_bench) # not where the readers alone are built
  install(TARGETS hooke_bench COMPONENT hooke-bench) # beside the command, which executes it
endif()
install(DIRECTORY include/hooke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libhooke-dev FILES_MATCHING PATTERN "*.h")
if(mpi_plugins) # opened by libhooke, which finds them in this folder beside it
  install(TARGETS ${mpi_plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke COMPONENT hooke-mpi)
endif()
if(EXISTS ${HOOKE_CUDA_KERNELS}) # read by libhooke, which finds them as it does the plug-ins
  install(DIRECTORY ${HOOKE_CUDA_KERNELS}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke/cuda-kernels COMPONENT hooke-kernels)
endif()
if(petsc_plugin)
  install(TARGETS ${petsc_plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke COMPONENT hooke-petsc)
endif()
install(EXPORT hookeTargets NAMESPACE hooke:: DESTINATION ${config_folder} COMPONENT libhooke-dev)
configure_package_config_file(cmake/hookeConfig.cmake.in hookeConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(hookeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hookeConfig.cmake ${PROJECT_BINARY_DIR}/hookeConfigVersion.cmake
  DESTINATION ${config_folder} COMPONENT libhooke-dev)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/hooke.pc.in hooke.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hooke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libhooke-dev)
file(GLOB man_pages CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT hooke)
install(FILES completions/hooke DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT hooke)
install(FILES completions/_hooke DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT hooke)
install(DIRECTORY matlab DESTINATION ${CMAKE_INSTALL_DATADIR}/hooke COMPONENT hooke FILES_MATCHING PATTERN "*.m")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT hooke)
