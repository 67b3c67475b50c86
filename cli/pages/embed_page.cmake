# convene_embed_page(<function> <header> <file>...)
#
# The library convene::<function>, which has nothing but this function: declared
# in the header, it returns the files as a page_source. It uses no room, so that
# none has to be built before it.
function(convene_embed_page function header)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/files/"
                 REGEX "^[^/]" OUTPUT_VARIABLE paths)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cli/pages/embed.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DFUNCTION=${function}" "-DHEADER=${header}"
            "-DFILES=${paths}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS ${paths} "${script}" "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake"
            "${PROJECT_SOURCE_DIR}/cmake/page_text.cmake"
    COMMENT "Embedding ${function}"
    VERBATIM)
  add_library(convene_${function} STATIC "${output}")
  add_library(convene::${function} ALIAS convene_${function})
  target_include_directories(convene_${function}
                             PRIVATE "${CONVENE_INCLUDE_ROOT}")
  target_link_libraries(convene_${function} PRIVATE convene_flags)
  # A page is one literal.
  target_compile_options(convene_${function} PRIVATE -Wno-overlength-strings)
endfunction()
