# Writes OUTPUT, the C++ source that has FILES, a list of names in FOLDER, as
# constants.
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/embed_text.cmake")

list(LENGTH FILES count)

set(source "// Generated from server/page/files by embed.cmake.

#include <convene/server/page/page_files.hpp>

#include <string_view>

namespace convene::server {
namespace {

using std::string_view_literals::operator\"\"sv;

constexpr page_file files_of_page[${count}]{")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND source "\n{\"${name}\",")
  append_text("${text}")
  string(APPEND source "},")
endforeach()
string(APPEND source "
};

} // namespace

std::span<const page_file> page_files() noexcept {
  return files_of_page;
}

} // namespace convene::server
")
file(WRITE "${OUTPUT}" "${source}")
