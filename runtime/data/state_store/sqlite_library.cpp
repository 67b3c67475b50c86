#include <convene/runtime/data/state_store/sqlite_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<sqlite_library> load_sqlite_functions() {
  sqlite_library made;
  return load_library(CONVENE_LIBSQLITE3,
                      {late("sqlite3_bind_int64", made.bind_int64),
                       late("sqlite3_bind_null", made.bind_null),
                       late("sqlite3_bind_text64", made.bind_text64),
                       late("sqlite3_clear_bindings", made.clear_bindings),
                       late("sqlite3_close", made.close),
                       late("sqlite3_column_blob", made.column_blob),
                       late("sqlite3_column_bytes", made.column_bytes),
                       late("sqlite3_column_int64", made.column_int64),
                       late("sqlite3_db_config", made.db_config),
                       late("sqlite3_errmsg", made.errmsg),
                       late("sqlite3_errstr", made.errstr),
                       late("sqlite3_exec", made.exec),
                       late("sqlite3_finalize", made.finalize),
                       late("sqlite3_get_autocommit", made.get_autocommit),
                       late("sqlite3_open_v2", made.open_v2),
                       late("sqlite3_prepare_v3", made.prepare_v3),
                       late("sqlite3_reset", made.reset),
                       late("sqlite3_step", made.step)})
    .map([&] { return made; });
}

} // namespace

const protocol::result<sqlite_library>& load_sqlite() {
  static const auto made = load_sqlite_functions();
  return made;
}

} // namespace convene::host
