# Writes OUTPUT, the C++ source of page_file(), which has FILES, a list of names
# in FOLDER.
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/embed_text.cmake")

set(source "// Generated from cli/pages/files by embed.cmake.

#include <convene/cli/pages/page_file.hpp>

namespace convene::cli {

using std::string_view_literals::operator\"\"sv;

std::string_view page_file(std::string_view name) noexcept {
")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND source "  if (name == \"${name}\")\n    return ")
  append_text("${text}")
  string(APPEND source ";\n")
endforeach()
string(APPEND source "  return {};
}

} // namespace convene::cli
")
file(WRITE "${OUTPUT}" "${source}")
