#pragma once

#include <convene/protocol/base/error.hpp>
#include <sqlite3.h>

// For sources in this folder only.

namespace convene::host {

/// The functions of SQLite that are called, without `sqlite3_`.
// clang-format off
#define CONVENE_SQLITE_FUNCTIONS(use)                                          \
  use(bind_int64) use(bind_null) use(bind_text64) use(clear_bindings)          \
  use(close) use(column_blob) use(column_bytes) use(column_int64)              \
  use(db_config) use(errmsg) use(errstr) use(exec) use(finalize)               \
  use(get_autocommit) use(open_v2) use(prepare_v3) use(reset) use(step)
// clang-format on

/// What is called of SQLite, which `load_sqlite` loads.
struct sqlite_library {
#define CONVENE_MEMBER(name) decltype(&::sqlite3_##name) name = nullptr;
  CONVENE_SQLITE_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Loads it once. Error: see `load_library`.
[[nodiscard]] const protocol::result<sqlite_library>& load_sqlite();

/// What `load_sqlite` has loaded.
[[nodiscard]] inline const sqlite_library& sqlite() {
  return *load_sqlite();
}

} // namespace convene::host
