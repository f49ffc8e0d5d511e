# The kernels of the common dialect for the host. src/device/variants.txt lists units; cmake/variants/ writes one .c for each, with the
# signatures that the preprocessor finds in the texts. Each is compiled once per instruction set; the fastest that the processor has is
# chosen at run time. HOOKE_HOST_ISAS=native builds that of this machine alone, in a third of the time, and the name of one set that set alone; quick
# builds all, for checks on this machine: those that it does not run without optimisation.
set(variants_table ${PROJECT_SOURCE_DIR}/src/device/variants.txt)
set(variants_folder ${PROJECT_BINARY_DIR}/variants)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${variants_table})
file(STRINGS ${variants_table} host_units REGEX "^host ")
list(TRANSFORM host_units REPLACE "^host ([a-z0-9_]+):.*" "\\1")
# Of papers, which no run has: hooke-bench and the tests alone are linked with them.
set(bench_units stages elementwise pattern)
# The loops of the paper's product by instruction set, whatever sets the rest is built for: name, unit and flags of each (hk_kernel_desc.isa).
set(bench_sets)
set(set_units stages4 stages8 stages16)
set(set_x86_sse4_2 stages4 -march=x86-64-v2)
set(set_x86_avx2 stages8 -march=x86-64-v3 -mno-fma)
set(set_x86_avx2_fma stages8 -march=x86-64-v3)
set(set_x86_avx512 stages16 -march=x86-64-v4 -mprefer-vector-width=512 -ffp-contract=off)
set(set_x86_avx512_fma stages16 -march=x86-64-v4 -mprefer-vector-width=512)
if(HOOKE_BENCH_SETS) # on x86-64; minutes to compile
  set(bench_sets x86_sse4_2 x86_avx2 x86_avx2_fma x86_avx512 x86_avx512_fma)
endif()
list(REMOVE_ITEM host_units ${bench_units} ${set_units})
set(bench_set_list "")
foreach(of ${bench_sets})
  list(GET set_${of} 0 unit)
  string(APPEND bench_set_list "X(${unit}, ${of}) ")
endforeach()
foreach(kind host bench)
  list(TRANSFORM ${kind}_units REPLACE "(.+)" "X(\\1, isa)" OUTPUT_VARIABLE ${kind}_unit_list)
  list(JOIN ${kind}_unit_list " " ${kind}_unit_list)
endforeach()
set(host_isas generic) # also sanitized or mutated: once suffices
if(NOT HOOKE_SANITIZE AND NOT HOOKE_TSAN AND NOT HOOKE_BASELINE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(host_isas x86_64_v2 x86_64_v3 x86_64_v4)
  if(NOT HOOKE_HOST_ISAS STREQUAL all) # as src/device/host/host.c chooses
    execute_process(COMMAND ${CMAKE_C_COMPILER} -march=native -dM -E -x c /dev/null OUTPUT_VARIABLE macros)
    if(macros MATCHES "__AVX512F__" AND macros MATCHES "__AVX512BW__" AND macros MATCHES "__AVX512CD__" AND
       macros MATCHES "__AVX512DQ__" AND macros MATCHES "__AVX512VL__")
      set(own_isa x86_64_v4)
    elseif(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__" AND macros MATCHES "__BMI2__")
      set(own_isa x86_64_v3)
    else()
      set(own_isa x86_64_v2)
    endif()
  endif()
  if(HOOKE_HOST_ISAS STREQUAL native)
    set(host_isas ${own_isa})
  elseif(HOOKE_HOST_ISAS IN_LIST host_isas)
    set(host_isas ${HOOKE_HOST_ISAS})
  endif()
endif()
list(TRANSFORM host_isas REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE host_isa_list)
list(JOIN host_isa_list " " host_isa_list)
file(CONFIGURE OUTPUT ${variants_folder}/texts.h CONTENT "/* The instruction sets that are built, the fastest last, and the units of src/device/variants.txt for one: the library's, and those that only
   hooke-bench and the tests are linked with; units of the latter that are compiled for one set alone. */
#define HK_HOST_ISAS(X) ${host_isa_list}
#define HK_HOST_TEXTS(X, isa) ${host_unit_list}
#define HK_BENCH_TEXTS(X, isa) ${bench_unit_list}
#define HK_BENCH_SETS(X) ${bench_set_list}
")
add_executable(hooke_gll_table cmake/gll_table.c src/element/gll.c)
target_include_directories(hooke_gll_table PRIVATE src)
target_link_libraries(hooke_gll_table PRIVATE hooke_warnings m pthread)
set(gll_table ${variants_folder}/gll.k.h)
add_custom_command(OUTPUT ${gll_table} COMMAND hooke_gll_table ${gll_table} DEPENDS hooke_gll_table VERBATIM)
set(host_kernel_objects) # of the library
set(bench_kernel_objects)
if(HOOKE_HOST_KERNELS)
  foreach(isa ${host_isas})
    foreach(kind host bench)
      foreach(unit ${${kind}_units})
        set(object ${HOOKE_HOST_KERNELS}/CMakeFiles/${kind}_kernels_${isa}.dir/variants/${unit}.c.o)
        if(NOT EXISTS ${object})
          message(FATAL_ERROR "HOOKE_HOST_KERNELS: ${object} is not there: build that folder first")
        endif()
        list(APPEND ${kind}_kernel_objects ${object})
      endforeach()
    endforeach()
  endforeach()
  foreach(of ${bench_sets})
    list(GET set_${of} 0 unit)
    list(APPEND bench_kernel_objects ${HOOKE_HOST_KERNELS}/CMakeFiles/bench_set_${of}.dir/variants/${unit}.c.o)
  endforeach()
  return()
endif()

add_executable(hooke_variants cmake/variants/main.c cmake/variants/table.c cmake/variants/texts.c)
target_link_libraries(hooke_variants PRIVATE hooke_warnings)
set(host_kernel_sources)
set(bench_kernel_sources)
foreach(unit ${host_units} ${bench_units} ${set_units})
  set(source ${variants_folder}/${unit}.c)
  add_custom_command(OUTPUT ${source}
    COMMAND hooke_variants ${PROJECT_SOURCE_DIR} ${variants_folder}/${unit}.probe.c probe ${unit}
    COMMAND ${CMAKE_C_COMPILER} -std=c11 -E -P -DHOST_ISA=probe -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
      -MD -MT ${source} -MF ${variants_folder}/${unit}.d ${variants_folder}/${unit}.probe.c
      -o ${variants_folder}/${unit}.i
    COMMAND hooke_variants ${PROJECT_SOURCE_DIR} ${source} host ${unit} ${variants_folder}/${unit}.i
    DEPENDS hooke_variants ${variants_table} ${gll_table} DEPFILE ${variants_folder}/${unit}.d COMMENT "Writing variants of ${unit}" VERBATIM)
  if(unit IN_LIST bench_units)
    list(APPEND bench_kernel_sources ${source})
  elseif(unit IN_LIST set_units)
    list(APPEND set_sources ${source})
  else()
    list(APPEND host_kernel_sources ${source})
  endif()
endforeach()
add_custom_command(OUTPUT ${variants_folder}/gpu.h COMMAND hooke_variants ${PROJECT_SOURCE_DIR} ${variants_folder}/gpu.h gpu
  DEPENDS hooke_variants ${variants_table} VERBATIM)
add_custom_target(hooke_host_units DEPENDS ${host_kernel_sources} ${bench_kernel_sources} ${set_sources} ${variants_folder}/gpu.h)

set(host_optimisation -O3)
if(HOOKE_SANITIZE)
  set(host_optimisation -O0) # sanitized kernels take minutes to compile otherwise
  # Checks of each pointer for null and alignment, and of each sum for overflow, are two thirds of the code of sanitized kernels. Other files
  # keep them; kernels keep AddressSanitizer and the checks of bounds, divisions, shifts and conversions.
  set(sanitized_kernels -fno-sanitize=null,alignment,object-size,pointer-overflow,signed-integer-overflow)
  foreach(unit ${host_units} ${bench_units})
    set_property(SOURCE ${variants_folder}/${unit}.c APPEND PROPERTY COMPILE_OPTIONS ${sanitized_kernels})
  endforeach()
  foreach(unit elements relax stored) # that tests run long, and are soon compiled
    set_property(SOURCE ${variants_folder}/${unit}.c APPEND PROPERTY COMPILE_OPTIONS -O1)
  endforeach()
endif()
if(HOOKE_BASELINE OR HOOKE_TSAN)
  set(host_optimisation -O0) # seconds instead of minutes
endif()
# Passes of gcc that take most of the time of long straight functions and change a hundredth of their instructions or less.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  foreach(unit stages ${set_units})
    set_property(SOURCE ${variants_folder}/${unit}.c APPEND PROPERTY COMPILE_OPTIONS "--param=max-combine-insns=2;-fno-forward-propagate")
  endforeach()
  set_property(SOURCE ${variants_folder}/factorised.c ${variants_folder}/factorised_terms.c APPEND PROPERTY COMPILE_OPTIONS "-fno-gcse-after-reload")
endif()
set(host_options -Wno-unused-parameter -fno-math-errno -fno-trapping-math -fopenmp-simd -ffp-contract=fast)
foreach(isa ${host_isas})
  set(level ${host_optimisation})
  set(definitions HOST_ISA=${isa})
  if(isa STREQUAL x86_64_v2) # processors before 2013; half the time to compile
    set(level -O1)
    list(APPEND definitions HOST_OLD)
  endif()
  if(HOOKE_HOST_ISAS STREQUAL quick AND own_isa AND NOT isa STREQUAL own_isa)
    set(level -O0) # a fifth of the time to compile
  endif()
  set(optimisation ${level} ${host_options})
  if(NOT isa STREQUAL generic)
    string(REPLACE "x86_64_v" "x86-64-v" march ${isa})
    list(APPEND optimisation -march=${march})
  endif()
  if(isa STREQUAL x86_64_v4)
    list(APPEND optimisation -mprefer-vector-width=512)
  endif()
  foreach(kind host bench)
    set(target ${kind}_kernels_${isa})
    add_library(${target} OBJECT ${${kind}_kernel_sources})
    add_dependencies(${target} hooke_host_units)
    target_include_directories(${target} PRIVATE include src)
    target_compile_definitions(${target} PRIVATE ${definitions})
    if(kind STREQUAL host)
      set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden) # only host.c knows them
    endif()
    target_compile_options(${target} PRIVATE ${optimisation})
    target_link_libraries(${target} PRIVATE hooke_warnings)
    list(APPEND ${kind}_kernel_objects $<TARGET_OBJECTS:${target}>)
  endforeach()
endforeach()
foreach(of ${bench_sets})
  list(POP_FRONT set_${of} unit)
  set(target bench_set_${of})
  add_library(${target} OBJECT ${variants_folder}/${unit}.c)
  add_dependencies(${target} hooke_host_units)
  target_include_directories(${target} PRIVATE include src)
  target_compile_definitions(${target} PRIVATE HOST_ISA=${of})
  target_compile_options(${target} PRIVATE ${host_optimisation} ${host_options} ${set_${of}})
  target_link_libraries(${target} PRIVATE hooke_warnings)
  list(APPEND bench_kernel_objects $<TARGET_OBJECTS:${target}>)
endforeach()
