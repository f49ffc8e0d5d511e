# Kernel texts and dialects as strings of the library. Included, it adds the rule; run as a script
# (OUTPUT, NAMES, FILES, SOURCE), it writes the file. What a text includes stands in its place: a device sees no files.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE all_kernel_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.k.h)
  list(APPEND all_kernel_texts ${gll_table})
  set(kernel_text_files)
  set(kernel_text_names)
  foreach(file ${all_kernel_texts})
    get_filename_component(name ${file} NAME_WE)
    if(NOT name STREQUAL law AND NOT name STREQUAL list) # which others include
      list(APPEND kernel_text_files ${file})
      list(APPEND kernel_text_names ${name})
    endif()
  endforeach()
  file(GLOB dialects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/*/dialect.h)
  foreach(file ${dialects}) # each has the name of its folder
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    if(NOT name STREQUAL host) # compiled beforehand
      list(APPEND kernel_text_files ${file})
      list(APPEND kernel_text_names ${name})
    endif()
  endforeach()
  set(kernel_texts_source ${PROJECT_BINARY_DIR}/kernel_texts.c)
  add_custom_command(OUTPUT ${kernel_texts_source}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${kernel_texts_source}" "-DNAMES=${kernel_text_names}"
      "-DFILES=${kernel_text_files}" -DSOURCE=${PROJECT_SOURCE_DIR}/src -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${all_kernel_texts} ${kernel_text_files} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
  return()
endif()

set(entries "")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ "${file}" text)
  while(text MATCHES "\n#include \"([^\"]+)\"\n")
    set(line "${CMAKE_MATCH_0}")
    file(READ "${SOURCE}/${CMAKE_MATCH_1}" included)
    string(REPLACE "${line}" "\n${included}\n" text "${text}")
  endwhile()
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"device/source.h\"
#include <string.h>

static const struct {
  const char *name, *text;
} texts[] = {
${entries}};

const char *hk_kernel_text(const char *name)
{
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(texts[i].name, name)) return texts[i].text;
  return NULL;
}
")
