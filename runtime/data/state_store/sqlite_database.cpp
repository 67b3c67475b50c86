#include <convene/runtime/data/state_store/sqlite_database.hpp>
#include <convene/runtime/data/state_store/sqlite_library.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

protocol::error store_locked(const std::filesystem::path& file) {
  return file_error(errc::usage, file,
                    "another process has this state store open; wait until "
                    "they have ended, or name another file",
                    "store_locked");
}

void sqlite_database::close_connection::operator()(
  sqlite3* which) const noexcept {
  sqlite().close(which);
}

void sqlite_database::end_statement::operator()(
  sqlite3_stmt* which) const noexcept {
  sqlite().finalize(which);
}

result<sqlite_database>
sqlite_database::open(const std::filesystem::path& file,
                      std::shared_ptr<const void> claim) {
  if (const auto& loaded = load_sqlite(); !loaded)
    return fail(loaded.error());
  sqlite_database made{file, std::move(claim)};
  // Absolute, so that no name has a meaning to SQLite (`:memory:`, `file:`).
  std::error_code failed;
  const auto path = std::filesystem::absolute(file, failed);
  sqlite3* connection = nullptr;
  const int code = sqlite().open_v2(path.c_str(), &connection,
                                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                    nullptr);
  made.connection_.reset(connection); // also if it could not be opened
  if (code != SQLITE_OK)
    return fail(made.error_of(code));
  // The content of a file is no program: no triggers, no views of strangers.
  sqlite().db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite().db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite().db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  // This connection alone writes and checkpoints: with several, SQLite 3.40 can
  // in a rare race damage what it writes.
  if (auto set = made.run("PRAGMA locking_mode = EXCLUSIVE; "
                          "PRAGMA synchronous = FULL; "
                          "PRAGMA cell_size_check = ON");
      !set)
    return fail(std::move(set).error());
  return made;
}

sqlite_query sqlite_database::query(const char* sql) {
  return {*this, sql};
}

result<void> sqlite_database::run(const char* sql) {
  const int code = sqlite().exec(connection_.get(), sql, nullptr, nullptr,
                                 nullptr);
  if (code != SQLITE_OK)
    return fail(error_of(code));
  return {};
}

result<std::string> sqlite_database::text_of(const char* sql) {
  auto asked = query(sql);
  return asked.step().map(
    [&](bool found) { return found ? asked.text(0) : std::string{}; });
}

void sqlite_database::roll_back() noexcept {
  // SQLite may have done so itself.
  if (sqlite().get_autocommit(connection_.get()) == 0)
    sqlite().exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

protocol::error sqlite_database::error_of(int code) const {
  const int primary = code & 0xff;
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED)
    return store_locked(file_);
  const std::string why = connection_ ? sqlite().errmsg(connection_.get())
                                      : sqlite().errstr(code);
  if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT)
    return file_error(errc::unreadable, file_,
                      "the state store is damaged: " + why
                        + "; put a copy of it in its place, or name another "
                          "file",
                      "store_damaged");
  return file_error(errc::io_failed, file_,
                    "the state store cannot be read or written: " + why,
                    "store_io");
}

sqlite_query::sqlite_query(sqlite_database& in, const char* sql) : in_{in} {
  auto& kept = in.prepared_[sql];
  if (!kept) {
    sqlite3_stmt* made = nullptr;
    failed_ = sqlite().prepare_v3(in.connection_.get(), sql, -1,
                                  SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    kept.reset(made);
  }
  statement_ = kept.get();
}

sqlite_query::~sqlite_query() {
  sqlite().reset(statement_);
  sqlite().clear_bindings(statement_);
}

sqlite_query& sqlite_query::bind(std::string_view text) {
  if (failed_ == SQLITE_OK)
    failed_ = sqlite().bind_text64(statement_, ++bound_,
                                   text.empty() ? "" : text.data(), text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

sqlite_query& sqlite_query::bind(std::int64_t number) {
  if (failed_ == SQLITE_OK)
    failed_ = sqlite().bind_int64(statement_, ++bound_, number);
  return *this;
}

sqlite_query& sqlite_query::bind_null() {
  if (failed_ == SQLITE_OK)
    failed_ = sqlite().bind_null(statement_, ++bound_);
  return *this;
}

result<bool> sqlite_query::step() {
  if (failed_ == SQLITE_OK)
    failed_ = sqlite().step(statement_);
  const int code = std::exchange(failed_, SQLITE_OK);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return fail(in_.error_of(code));
  return code == SQLITE_ROW;
}

result<void> sqlite_query::finish() {
  return step().map([](bool) {});
}

std::string sqlite_query::text(int column) const {
  const auto* bytes
    = static_cast<const char*>(sqlite().column_blob(statement_, column));
  const auto size = sqlite().column_bytes(statement_, column);
  return bytes == nullptr ? std::string{}
                          : std::string(bytes, static_cast<std::size_t>(size));
}

std::int64_t sqlite_query::number(int column) const {
  return sqlite().column_int64(statement_, column);
}

} // namespace convene::host
