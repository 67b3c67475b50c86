# Writes OUTPUT, the C++ source that has FILES, a list of paths below FOLDER, as
# constants. Literals are kept short, so a text is written as several of them; as
# an `sv` it brings its size, which a compiler need not count.
set(piece_max 8000)

# Appends "text" to `source`, cut where lines end.
function(append_text text)
  string(LENGTH "${text}" left)
  while(left GREATER 0)
    string(SUBSTRING "${text}" 0 ${piece_max} piece)
    if(left GREATER piece_max)
      string(FIND "${piece}" "\n" cut REVERSE)
      math(EXPR cut "${cut} + 1")
      string(SUBSTRING "${piece}" 0 ${cut} piece)
    else()
      set(cut ${left})
    endif()
    string(APPEND source "\nR\"json(${piece})json\"")
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(LENGTH "${text}" left)
  endwhile()
  string(APPEND source "sv")
  set(source "${source}" PARENT_SCOPE)
endfunction()

list(LENGTH FILES count)

set(source "// Generated from schemas/ by embed.cmake.

#include <convene/schemas/catalog.hpp>

#include <string_view>

namespace convene::schemas {
namespace {

using std::string_view_literals::operator\"\"sv;

constexpr embedded_file files[${count}]{")
foreach(path IN LISTS FILES)
  file(READ "${FOLDER}/${path}" text)
  string(JSON id ERROR_VARIABLE none GET "${text}" "$id")
  if(none)
    set(id "")
  endif()
  string(APPEND source "\n{\"${path}\", \"${id}\",")
  append_text("${text}")
  string(APPEND source "},")
endforeach()
string(APPEND source "
};

} // namespace

std::span<const embedded_file> all() noexcept {
  return files;
}

} // namespace convene::schemas
")
file(WRITE "${OUTPUT}" "${source}")
