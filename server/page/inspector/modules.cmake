# The scripts of the inspector, in the order in which they are joined; with what
# a page of one file has beside them, or a server's.
set(inspector "${PROJECT_SOURCE_DIR}/server/page/inspector")
set(inspector_styles "${inspector}/tokens.css" "${inspector}/inspector.css")
set(inspector_scripts
    parts.js data.js outcome.js entries.js details.js diff.js rows.js
    transcript.js story.js own.js scale.js lanes.js viewport.js bars.js
    relations.js draw.js labels.js minimap.js tip.js hit.js model_calls.js panel.js search.js
    pointer.js range.js controls.js view.js)
set(inspector_of_file file_session.js compare.js file.js)
set(inspector_of_server live_columns.js live_session.js live.js)
foreach(each scripts of_file of_server)
  list(TRANSFORM inspector_${each} PREPEND "${inspector}/")
endforeach()
list(PREPEND inspector_scripts "${PROJECT_SOURCE_DIR}/cli/pages/files/page.js")
