# Kernel texts and dialects as strings of the library. Included, it adds the rule; run as a script
# (OUTPUT, NAMES, FILES), it writes the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE kernel_text_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.k.h)
  set(kernel_text_names)
  foreach(file ${kernel_text_files})
    get_filename_component(name ${file} NAME_WE)
    list(APPEND kernel_text_names ${name})
  endforeach()
  foreach(dialect cuda opencl)
    list(APPEND kernel_text_files ${PROJECT_SOURCE_DIR}/src/device/${dialect}/dialect.h)
    list(APPEND kernel_text_names ${dialect})
  endforeach()
  set(kernel_texts_source ${PROJECT_BINARY_DIR}/kernel_texts.c)
  add_custom_command(OUTPUT ${kernel_texts_source}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${kernel_texts_source}" "-DNAMES=${kernel_text_names}"
      "-DFILES=${kernel_text_files}" -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${kernel_text_files} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
  return()
endif()

set(entries "")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ "${file}" text)
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
