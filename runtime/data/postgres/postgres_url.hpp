#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::host {

/// Whether a word is meant as the URL of a PostgreSQL database.
[[nodiscard]] inline bool is_postgres_url(std::string_view word) noexcept {
  return word.starts_with("postgres://") || word.starts_with("postgresql://");
}

/// Checks a URL and returns it without the user's name, the password and the
/// options: for messages. Error: rule `postgres_url`, which repeats nothing of
/// the URL, or `library_missing`.
[[nodiscard]] protocol::result<std::string>
shown_postgres_url(const std::string& url);

} // namespace convene::host
