#pragma once

#include <convene/protocol/base/error.hpp>
#include <sqlite3.h>

// For sources in this folder only.

namespace convene::host {

/// What is called of SQLite, which `load_sqlite` loads.
struct sqlite_library {
  decltype(&::sqlite3_bind_int64) bind_int64 = nullptr;
  decltype(&::sqlite3_bind_null) bind_null = nullptr;
  decltype(&::sqlite3_bind_text64) bind_text64 = nullptr;
  decltype(&::sqlite3_clear_bindings) clear_bindings = nullptr;
  decltype(&::sqlite3_close) close = nullptr;
  decltype(&::sqlite3_column_blob) column_blob = nullptr;
  decltype(&::sqlite3_column_bytes) column_bytes = nullptr;
  decltype(&::sqlite3_column_int64) column_int64 = nullptr;
  decltype(&::sqlite3_db_config) db_config = nullptr;
  decltype(&::sqlite3_errmsg) errmsg = nullptr;
  decltype(&::sqlite3_errstr) errstr = nullptr;
  decltype(&::sqlite3_exec) exec = nullptr;
  decltype(&::sqlite3_finalize) finalize = nullptr;
  decltype(&::sqlite3_get_autocommit) get_autocommit = nullptr;
  decltype(&::sqlite3_open_v2) open_v2 = nullptr;
  decltype(&::sqlite3_prepare_v3) prepare_v3 = nullptr;
  decltype(&::sqlite3_reset) reset = nullptr;
  decltype(&::sqlite3_step) step = nullptr;
};

/// Loads it once. Error: see `load_library`.
[[nodiscard]] const protocol::result<sqlite_library>& load_sqlite();

/// What `load_sqlite` has loaded.
[[nodiscard]] inline const sqlite_library& sqlite() {
  return *load_sqlite();
}

} // namespace convene::host
