# The script of the report's viewer as a string of the library. Included, it adds the rule; run as a script (OUTPUT, FILE), it writes the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(page_script ${PROJECT_SOURCE_DIR}/src/report/view/view.js)
  set(page_texts_source ${PROJECT_BINARY_DIR}/page_texts.c)
  add_custom_command(OUTPUT ${page_texts_source}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${page_texts_source}" "-DFILE=${page_script}" -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${page_script} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
  return()
endif()

file(READ "${FILE}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "??" "?\\?" text "${text}") # no trigraphs
string(REPLACE "\n" "\\n\"\n  \"" text "${text}")
file(WRITE "${OUTPUT}" "#include \"report/view/view.h\"

const char hk_view_script[] =
  \"${text}\";
")
