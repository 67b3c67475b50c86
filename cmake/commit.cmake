# Sets CONVENE_COMMIT: the commit that is checked out; "unknown" outside of a Git
# checkout. A commit, or a checkout of another one, makes CMake run again.
set(CONVENE_COMMIT "unknown")
find_program(CONVENE_GIT git)
mark_as_advanced(CONVENE_GIT)

# Sets VARIABLE to what Git prints in the source folder, or to nothing.
function(convene_ask_git variable)
  execute_process(
    COMMAND "${CONVENE_GIT}" ${ARGN}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

if(CONVENE_GIT)
  # Another project's repository may be around the sources.
  convene_ask_git(top rev-parse --show-toplevel)
  if(top STREQUAL PROJECT_SOURCE_DIR)
    convene_ask_git(commit rev-parse --short=8 HEAD)
    convene_ask_git(moves rev-parse --git-path logs/HEAD)
    get_filename_component(moves "${moves}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
    if(commit)
      set(CONVENE_COMMIT "${commit}")
    endif()
    if(EXISTS "${moves}")
      set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND
                   PROPERTY CMAKE_CONFIGURE_DEPENDS "${moves}")
    endif()
  endif()
endif()
