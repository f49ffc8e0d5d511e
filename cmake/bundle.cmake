# Libraries of the folder HOOKE_BUNDLE, which tools/make_bundle filled, in place of the system's: what can be is linked statically,
# what is shared lies beside libhooke in the wheel.
get_filename_component(bundle ${HOOKE_BUNDLE} ABSOLUTE)
if(NOT EXISTS ${bundle}/made)
  message(FATAL_ERROR "HOOKE_BUNDLE: ${bundle} was not made by tools/make_bundle")
endif()
set(bundle_include ${bundle}/root/usr/include)
set(bundle_archives ${bundle}/root/usr/lib/x86_64-linux-gnu)
set(bundle_options --sysroot=${bundle}/root)
# Only hooke's own names are to be seen; and what shared libraries need lies beside them.
# gcc looks beside itself, in the system's folders, before it looks into its sysroot: hence -B and -L.
add_link_options(--sysroot=${bundle}/root -B${bundle_archives} -L${bundle_archives} -L${bundle}/root/lib/x86_64-linux-gnu
  -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-rpath-link,${bundle}/lib -Wl,-rpath-link,${bundle}/root/lib/x86_64-linux-gnu)

function(add_bundled target file)
  add_library(${target} INTERFACE IMPORTED)
  target_link_libraries(${target} INTERFACE ${file})
endfunction()
add_bundled(ZLIB::ZLIB ${bundle_archives}/libz.a)
add_bundled(PNG::PNG ${bundle}/lib/libhooke_png16.so.16)
# Cairo's image surfaces and its built-in font, without X11, which only its shared library needs.
add_library(PkgConfig::CAIRO INTERFACE IMPORTED)
target_include_directories(PkgConfig::CAIRO INTERFACE ${bundle_include}/cairo)
target_link_libraries(PkgConfig::CAIRO INTERFACE ${bundle_archives}/libcairo.a ${bundle}/lib/libhooke_pixman-1.so.0
  ${bundle}/lib/libhooke_fontconfig.so.1 ${bundle}/lib/libhooke_freetype.so.6 PNG::PNG ZLIB::ZLIB)
add_bundled(PkgConfig::YAML ${bundle_archives}/libyaml.a)
add_bundled(PkgConfig::JANSSON ${bundle}/lib/libhooke_jansson.so.4)
add_bundled(PkgConfig::POPT ${bundle_archives}/libpopt.a)
add_bundled(OpenMP::OpenMP_C ${bundle}/lib/libhooke_gomp.so.1)
target_compile_options(OpenMP::OpenMP_C INTERFACE -fopenmp)
# HDF5's network driver stays out: nothing of ours refers to its part of the archive.
set(HDF5_INCLUDE_DIRS ${bundle_include}/hdf5/serial)
set(HDF5_C_LIBRARIES ${bundle_archives}/libhdf5_serial.a ${bundle_archives}/libsz.a ${bundle_archives}/libaec.a
  pthread) # of its own in an old glibc
set(MUMPS_INCLUDE ${bundle_include}/mumps_seq)
file(GLOB MUMPS_LIBRARY ${bundle}/lib/libhooke_dmumps_seq-*.so)
set(HOOKE_OPENBLAS libhooke_openblas.so.0)
set(HOOKE_METIS libhooke_metis.so.5)
file(GLOB bundled_libraries ${bundle}/lib/*)
