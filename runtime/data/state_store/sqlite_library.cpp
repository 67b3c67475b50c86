#include <convene/runtime/data/state_store/sqlite_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<sqlite_library> load_sqlite_functions() {
  sqlite_library made;
#define CONVENE_LATE(name) late("sqlite3_" #name, made.name),
  return load_library(CONVENE_LIBSQLITE3,
                      {CONVENE_SQLITE_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] { return made; });
}

} // namespace

const protocol::result<sqlite_library>& load_sqlite() {
  static const auto made = load_sqlite_functions();
  return made;
}

} // namespace convene::host
