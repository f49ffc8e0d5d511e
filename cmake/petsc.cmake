# The plug-in for PETSc (package libpetsc-real-dev), compiled with the MPI that PETSc was compiled with: its header refuses the others. libhooke opens
# it, and links neither. It needs cmake/mpi.cmake.
include(CheckCSourceCompiles)
pkg_check_modules(PETSC QUIET PETSc)
set(petsc_plugin "")
foreach(name openmpi mpich)
  if(NOT PETSC_FOUND OR petsc_plugin OR NOT TARGET hooke_mpi_${name})
    continue()
  endif()
  set(CMAKE_REQUIRED_INCLUDES ${mpi_includes_${name}} ${PETSC_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_FLAGS "")
  check_c_source_compiles("#include <petscksp.h>
    #ifdef PETSC_USE_COMPLEX
    #error
    #endif
    int main(void) { return sizeof(PetscScalar) != 8; }" HOOKE_PETSC_OF_${name})
  unset(CMAKE_REQUIRED_INCLUDES)
  if(NOT HOOKE_PETSC_OF_${name})
    continue()
  endif()
  set(petsc_plugin hooke_petsc)
  add_library(hooke_petsc MODULE plugins/petsc.c)
  set_target_properties(hooke_petsc PROPERTIES OUTPUT_NAME hooke-petsc-${name} BUILD_WITH_INSTALL_RPATH ON)
  target_include_directories(hooke_petsc PRIVATE src)
  target_include_directories(hooke_petsc SYSTEM PRIVATE ${mpi_includes_${name}} ${PETSC_INCLUDE_DIRS})
  target_link_libraries(hooke_petsc PRIVATE hooke_warnings ${mpi_libraries_${name}} ${PETSC_LINK_LIBRARIES})
  target_link_options(hooke_petsc PRIVATE LINKER:--as-needed)
  target_compile_options(hooke_petsc PRIVATE -fvisibility=default)
endforeach()
if(NOT petsc_plugin)
  message(STATUS "PETSc with real numbers, or the compiler of its MPI, is not installed: no static solutions by it")
endif()
