# What Python's wheel holds beside the package: the library, the command, the benches, and what they need.
install(TARGETS hooke LIBRARY DESTINATION hooke/_lib NAMELINK_SKIP)
install(TARGETS hooke_command hooke_bench RUNTIME DESTINATION hooke/_bin)
if(HOOKE_BUNDLE)
  install(PROGRAMS ${bundled_libraries} DESTINATION hooke/_lib)
  install(FILES ${bundle}/THIRD_PARTY DESTINATION hooke)
endif()
