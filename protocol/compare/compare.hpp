#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// What keeps two documents from being equal.
struct difference {
  std::string path;     ///< `steps[3].description`; empty: the whole document
  std::string pointer;  ///< the same as a JSON pointer
  std::string expected; ///< shortened
  std::string actual;   ///< shortened; empty: nothing is there
  std::string message;  ///< both in one sentence

  bool operator==(const difference&) const = default;
};

/// Differences that are described; more are only counted.
inline constexpr std::size_t differences_kept = 20;

struct comparison {
  std::vector<difference> differences; ///< the first ones, in expected's order
  std::size_t total = 0;

  [[nodiscard]] bool equal() const noexcept {
    return total == 0;
  }
};

/// The members that golden flows do not compare (MPLP golden-flows.md 1): ids
/// and times that a run makes anew. Each stands for every path that is it or
/// ends in `.` and it.
[[nodiscard]] std::span<const std::string_view> ignored_members() noexcept;

/// Compares a document with what it was expected to be, by the rules of the
/// golden flows: what `expected` has must be there and equal, arrays in length
/// and order too; `actual` may have more members. `ignored_members` do not
/// count, nor does a `$comment` at the top. Numbers compare by value. Linear
/// in the documents.
[[nodiscard]] comparison compare_documents(const json::value& expected,
                                           const json::value& actual);

} // namespace convene::protocol
