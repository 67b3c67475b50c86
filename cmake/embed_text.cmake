# Texts as constants in generated C++. A literal is kept short, so a text is
# written as several of them; as an `sv` it brings its size, which a compiler
# need not count.
set(piece_max 8000)

# Appends "text" to `source`, cut where lines end.
function(append_text text)
  string(LENGTH "${text}" left)
  while(left GREATER 0)
    string(SUBSTRING "${text}" 0 ${piece_max} piece)
    if(left GREATER piece_max)
      string(FIND "${piece}" "\n" cut REVERSE)
      if(cut EQUAL -1)
        message(FATAL_ERROR "a line has more than ${piece_max} bytes")
      endif()
      math(EXPR cut "${cut} + 1")
      string(SUBSTRING "${piece}" 0 ${cut} piece)
    else()
      set(cut ${left})
    endif()
    string(APPEND source "\nR\"text(${piece})text\"")
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(LENGTH "${text}" left)
  endwhile()
  string(APPEND source "sv")
  set(source "${source}" PARENT_SCOPE)
endfunction()
