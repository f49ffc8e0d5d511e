# What libhooke exports: the functions that the headers of include/ mark HK_API, by the version of the interface. hooke-bench measures what
# these do not reach: it links every other function by the version HOOKE_PRIVATE, which belongs to one build of the library and is no interface.
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/hooke/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
set(exported_names "")
foreach(header ${public_headers})
  file(READ ${header} text)
  string(REGEX MATCHALL "\nHK_API [^(]*[(]" declarations "${text}")
  foreach(declaration ${declarations})
    string(REGEX REPLACE ".*[ *]([a-z0-9_]+)[(]$" "\\1" name "${declaration}")
    string(APPEND exported_names "    ${name};\n")
  endforeach()
endforeach()
set(exports ${PROJECT_BINARY_DIR}/exports.map)
file(CONFIGURE OUTPUT ${exports} CONTENT "HOOKE_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} {\n  global:\n${exported_names}  local:\n    *;\n};
HOOKE_PRIVATE {\n  global:\n    hk_*;\n};\n" @ONLY)
target_link_options(hooke PRIVATE LINKER:--version-script=${exports} LINKER:-Bsymbolic) # the library's own calls stay direct
set_property(TARGET hooke APPEND PROPERTY LINK_DEPENDS ${exports})
