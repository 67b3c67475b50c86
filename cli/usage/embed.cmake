# Writes OUTPUT, the C++ source of usage_text(), which has FILES.
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/embed_text.cmake")

set(texts)
foreach(name IN LISTS FILES)
  file(READ "${name}" text)
  string(APPEND texts "${text}\n")
endforeach()
set(source "// Generated from the files usage.txt by embed.cmake.

#include <convene/cli/usage/usage_book.hpp>

namespace convene::cli {

using std::string_view_literals::operator\"\"sv;

std::string_view usage_text() noexcept {
  return ")
append_text("${texts}")
string(APPEND source ";
}

} // namespace convene::cli
")
file(WRITE "${OUTPUT}" "${source}")
