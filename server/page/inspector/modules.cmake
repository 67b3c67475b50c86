# The scripts of the inspector, in the order in which they are joined; with what
# a page of one file has beside them, or a server's.
set(inspector "${PROJECT_SOURCE_DIR}/server/page/inspector")
set(inspector_styles "${inspector}/tokens.css" "${inspector}/base.css"
                     "${inspector}/inspector.css")
set(inspector_list_style "${inspector}/list.css")
set(inspector_scripts
    parts.js reason.js data.js outcome.js entries.js details.js diff.js rows.js
    transcript.js story.js moments.js own.js scale.js lanes.js viewport.js bars.js
    relations.js draw.js labels.js minimap.js tip.js hit.js model_calls.js panel.js search.js
    pointer.js range.js controls.js view.js)
# A file of one session, of two runs, and of several sessions.
set(inspector_of_file file_session.js file.js)
set(inspector_of_two file_session.js aligned.js compare.js file.js)
set(inspector_of_many session_list.js session_finder.js file_list.js
                      file_session.js file.js)
set(inspector_of_server live_columns.js live_session.js live.js)
# Of the list of sessions alone, as the server's home has it.
set(inspector_of_list parts.js reason.js session_list.js session_finder.js)
foreach(each scripts of_file of_two of_many of_server of_list)
  list(TRANSFORM inspector_${each} PREPEND "${inspector}/")
endforeach()
foreach(each scripts of_list)
  list(PREPEND inspector_${each} "${PROJECT_SOURCE_DIR}/cli/pages/files/page.js")
endforeach()
