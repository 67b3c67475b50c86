# Writes what the server's page has of the inspector to FOLDER: its STYLES by
# their names, the modules inspector.js and list.js, and session.html, DOCUMENT
# with VIEW in it.
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/page_text.cmake")

foreach(path IN LISTS STYLES)
  page_text(css "${path}")
  cmake_path(GET path FILENAME name)
  file(WRITE "${FOLDER}/${name}" "${css}")
endforeach()

function(join_module name exports)
  set(js "")
  foreach(path IN LISTS ARGN)
    page_text(text "${path}")
    string(APPEND js "${text}")
  endforeach()
  file(WRITE "${FOLDER}/${name}" "${js}export {${exports}};\n")
endfunction()
join_module(inspector.js "LiveSession, LiveView" ${SCRIPTS})
join_module(list.js "SessionFinder, SessionList, kindsOfSessions, nothingSought, outcomesChart, soughtFrom, soughtTo"
            ${LIST})

file(READ "${DOCUMENT}" html)
page_text(view "${VIEW}")
string(REPLACE "<!-- view -->" "${view}" html "${html}")
file(WRITE "${FOLDER}/session.html" "${html}")
