# The kernels of the common dialect, compiled for the host once per instruction set; the fastest that the processor has is
# chosen at run time.
set(host_kernel_objects)
set(host_optimisation -O3)
if(HOOKE_SANITIZE)
  set(host_optimisation -O1) # sanitized kernels take minutes to compile otherwise
endif()
file(GLOB host_kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/host/kernels/*.c)
set(host_isas generic)
if(HOOKE_SANITIZE) # once suffices
  set_source_files_properties(src/device/host/host.c PROPERTIES COMPILE_DEFINITIONS HOOKE_GENERIC)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(host_isas x86_64_v2 x86_64_v3 x86_64_v4)
endif()
foreach(isa ${host_isas})
  if(host_kernel_sources)
    add_library(host_kernels_${isa} OBJECT ${host_kernel_sources})
    target_include_directories(host_kernels_${isa} PRIVATE include src kernels)
    target_compile_definitions(host_kernels_${isa} PRIVATE HOST_ISA=${isa})
    set(optimisation ${host_optimisation})
    if(isa STREQUAL x86_64_v2) # processors before 2013; half the time to compile
      set(optimisation -O1)
      target_compile_definitions(host_kernels_${isa} PRIVATE HOST_OLD)
    endif()
    target_compile_options(host_kernels_${isa} PRIVATE ${optimisation} -Wno-unused-parameter -fno-math-errno -fno-trapping-math -fopenmp-simd
      -ffp-contract=fast)
    target_link_libraries(host_kernels_${isa} PRIVATE hooke_warnings)
    if(NOT isa STREQUAL generic)
      string(REPLACE "x86_64_v" "x86-64-v" march ${isa})
      target_compile_options(host_kernels_${isa} PRIVATE -march=${march})
    endif()
    if(isa STREQUAL x86_64_v4)
      target_compile_options(host_kernels_${isa} PRIVATE -mprefer-vector-width=512)
    endif()
    if(HOOKE_SANITIZE) # minutes with -O1
      set_source_files_properties(src/device/host/kernels/spectral2.c src/device/host/kernels/spectral3.c src/device/host/kernels/stages.c
        PROPERTIES COMPILE_OPTIONS -O0)
    endif()
    list(APPEND host_kernel_objects $<TARGET_OBJECTS:host_kernels_${isa}>)
  endif()
endforeach()
