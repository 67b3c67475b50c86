# Writes OUTPUT, the C++ source that has FILES, a list of paths below FOLDER, as
# constants.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/embed_text.cmake")

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
