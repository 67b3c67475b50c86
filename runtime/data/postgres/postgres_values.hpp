#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace convene::host {

/// A parameter of a statement, in PostgreSQL's binary form and with its type:
/// `text`, `bigint`, `bytea` or arrays of the first two. Other types: a cast in
/// the statement, such as `$1::uuid`, which reads the text. Texts and bytes
/// that are given as views must live until the statement has run.
class postgres_parameter {
public:
  postgres_parameter(std::string_view text) noexcept;
  postgres_parameter(const std::string& text) noexcept
    : postgres_parameter{std::string_view{text}} {}
  postgres_parameter(const char* text) noexcept
    : postgres_parameter{std::string_view{text}} {}
  /// Unset: null.
  postgres_parameter(const std::optional<std::string_view>& text) noexcept;
  postgres_parameter(std::int64_t number);
  postgres_parameter(const std::vector<std::string_view>& texts);
  postgres_parameter(const std::vector<std::optional<std::string_view>>& texts);
  postgres_parameter(const std::vector<std::int64_t>& numbers);
  [[nodiscard]] static postgres_parameter bytes(std::string_view raw) noexcept;

  [[nodiscard]] unsigned type() const noexcept {
    return type_;
  }
  /// Null if the value is.
  [[nodiscard]] const char* data() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;

private:
  explicit postgres_parameter(unsigned type) noexcept : type_{type} {}

  unsigned type_; ///< the OID
  std::string_view outside_;
  std::optional<std::string> own_;
};

/// What a statement returned. Rows and columns count from 0.
class postgres_rows {
public:
  [[nodiscard]] std::size_t size() const noexcept {
    return rows_.size();
  }
  [[nodiscard]] bool empty() const noexcept {
    return rows_.empty();
  }
  /// Rows that were inserted, changed, removed or returned.
  [[nodiscard]] std::int64_t affected() const noexcept {
    return affected_;
  }
  /// The command that ran: "COMMIT", "INSERT 0 1", ...
  [[nodiscard]] const std::string& command() const noexcept {
    return command_;
  }

  [[nodiscard]] bool is_null(std::size_t row, int column) const;
  /// Of columns with text or bytea; empty if null. As long as these rows.
  [[nodiscard]] std::string_view text(std::size_t row, int column) const;
  /// Of columns with whole numbers, booleans, or times (microseconds since
  /// 2000); 0 if null.
  [[nodiscard]] std::int64_t number(std::size_t row, int column) const;

private:
  friend class postgres_connection;

  struct clear_row {
    void operator()(pg_result* which) const noexcept;
  };

  std::vector<std::unique_ptr<pg_result, clear_row>> rows_;
  std::int64_t affected_ = 0;
  std::string command_;
};

} // namespace convene::host
