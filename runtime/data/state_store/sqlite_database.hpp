#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace convene::host {

/// Somebody else has the file.
[[nodiscard]] protocol::error store_locked(const std::filesystem::path& file);

class sqlite_query;

/// One connection to an SQLite file, for one thread at a time.
class sqlite_database {
public:
  /// Opens the file, which must be there, for this connection alone. `claim` is
  /// released when the file is closed.
  [[nodiscard]] static protocol::result<sqlite_database>
  open(const std::filesystem::path& file, std::shared_ptr<const void> claim);

  /// Prepares a statement, or takes it from the last time. `sql` is a literal,
  /// and of one place in the source.
  [[nodiscard]] sqlite_query query(const char* sql);

  /// Runs statements without results.
  [[nodiscard]] protocol::result<void> run(const char* sql);

  /// The result of `sql` in words, of its first row and column; empty: none.
  [[nodiscard]] protocol::result<std::string> text_of(const char* sql);

  /// Runs `body` in a transaction, which its error undoes.
  template <class Body>
  [[nodiscard]] protocol::result<void> in_transaction(Body&& body) {
    auto done = run("BEGIN IMMEDIATE").and_then(body).and_then([this] {
      return run("COMMIT");
    });
    if (!done)
      roll_back();
    return done;
  }

  /// The error that SQLite's code stands for.
  [[nodiscard]] protocol::error error_of(int code) const;

private:
  friend class sqlite_query;

  struct close_connection {
    void operator()(sqlite3* which) const noexcept;
  };
  struct end_statement {
    void operator()(sqlite3_stmt* which) const noexcept;
  };
  using statement = std::unique_ptr<sqlite3_stmt, end_statement>;

  sqlite_database(std::filesystem::path file, std::shared_ptr<const void> claim)
    : file_{std::move(file)}, claim_{std::move(claim)} {}

  void roll_back() noexcept;

  std::filesystem::path file_;
  std::shared_ptr<const void> claim_;
  std::unique_ptr<sqlite3, close_connection> connection_;
  std::map<const char*, statement> prepared_; ///< ended before the connection
};

/// A statement that runs. Parameters are bound in their order, and must live as
/// long as it does.
class sqlite_query {
public:
  sqlite_query(sqlite_database& in, const char* sql);
  sqlite_query(const sqlite_query&) = delete;
  sqlite_query& operator=(const sqlite_query&) = delete;
  ~sqlite_query();

  sqlite_query& bind(std::string_view text);
  sqlite_query& bind(std::int64_t number);
  sqlite_query& bind_null();

  /// Whether there is a row, another one with each call.
  [[nodiscard]] protocol::result<bool> step();
  /// For statements without rows.
  [[nodiscard]] protocol::result<void> finish();

  /// Of the row, by column from 0; empty for null.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

private:
  sqlite_database& in_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int failed_ = 0; ///< SQLite's code
};

} // namespace convene::host
