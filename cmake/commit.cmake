# The commit that is built, in base/commit.h. Included, it adds the rule; run as a script (OUTPUT, SOURCE), it writes the file
# where it has changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(commit_folder ${PROJECT_BINARY_DIR}/generated)
  add_custom_target(hooke_commit BYPRODUCTS ${commit_folder}/base/commit.h
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${commit_folder}/base/commit.h" "-DSOURCE=${PROJECT_SOURCE_DIR}"
      -P ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
  return()
endif()

execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define HK_COMMIT \"${commit}\"\n")
