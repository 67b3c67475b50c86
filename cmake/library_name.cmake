# Sets `result` to the name by which the loader finds a shared library, such as
# libcurl.so.4. `library` is an imported target or a file.
function(convene_library_name result library)
  if(TARGET ${library})
    get_target_property(library ${library} LOCATION)
  endif()
  execute_process(COMMAND "${CMAKE_READELF}" -d "${library}"
                  OUTPUT_VARIABLE tags ERROR_QUIET)
  if(NOT tags MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} is not a shared library that can be loaded")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
