# Writes what the inspector of the server's page is made of to FOLDER: tokens.css,
# inspector.css, inspector.js, a module, and session.html, DOCUMENT with VIEW in
# it. STYLES begins with the tokens.
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/page_text.cmake")

list(POP_FRONT STYLES tokens)
page_text(css "${tokens}")
file(WRITE "${FOLDER}/tokens.css" "${css}")
set(css "")
foreach(path IN LISTS STYLES)
  page_text(text "${path}")
  string(APPEND css "${text}")
endforeach()
file(WRITE "${FOLDER}/inspector.css" "${css}")

set(js "")
foreach(path IN LISTS SCRIPTS)
  page_text(text "${path}")
  string(APPEND js "${text}")
endforeach()
file(WRITE "${FOLDER}/inspector.js" "${js}export {LiveSession, LiveView};\n")

file(READ "${DOCUMENT}" html)
page_text(view "${VIEW}")
string(REPLACE "<!-- view -->" "${view}" html "${html}")
file(WRITE "${FOLDER}/session.html" "${html}")
