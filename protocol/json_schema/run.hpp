#pragma once

#include <convene/protocol/json_schema/program.hpp>
#include <convene/protocol/json_schema/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol::validation {

/// A step of a JSON pointer: a name, or where there is none, an index.
struct path_step {
  path_step(std::string_view by_name) : name(by_name) {}
  path_step(std::size_t by_index) : index(by_index), is_index(true) {}

  std::string_view name;
  std::size_t index = 0;
  bool is_index = false;
};

/// Where a describing walk is, in the document and in the schema, and what it
/// has found.
struct trail {
  std::size_t violations_max = 0;
  std::vector<path_step> instance;
  std::vector<path_step> schema;
  std::vector<violation> found;

  [[nodiscard]] bool is_full() const noexcept {
    return found.size() >= violations_max;
  }

  /// Adds a violation of `keyword` at the present place; a full trail takes
  /// no more.
  void add(std::string_view keyword, std::string expected, std::string actual);

  /// Adds that the object at the present place has a member of this name and
  /// type, and that only the `known` ones may be there. Its value may be a
  /// secret and is not shown.
  void add_unknown(std::string_view name, std::uint8_t type,
                   std::span<const std::string_view> known);
};

/// One walk over a document: the program, what is left of the bounds, and the
/// trail if it describes.
struct run {
  const program& code;
  std::uint64_t steps = 0;
  std::size_t depth = 0;
  validation_limit limit = validation_limit::none;
  trail* way = nullptr;

  /// Counts a step; false when none is left. After that, and after a bound
  /// on depth, everything fails at once.
  [[nodiscard]] bool spend() noexcept {
    if (steps == 0) [[unlikely]] {
      if (limit == validation_limit::none)
        limit = validation_limit::steps;
      return false;
    }
    --steps;
    return true;
  }

  /// Counts the reading of a text: a step for every 64 bytes.
  [[nodiscard]] bool spend_on(std::string_view text) noexcept {
    return spend_many(text.size() / 64);
  }

  /// Counts the search of a text for a pattern, by what it takes at worst: each
  /// byte all instructions of the pattern's program, 256 of them a step.
  [[nodiscard]] bool spend_on(const pattern& sought,
                              std::string_view text) noexcept {
    if (sought.is_identifier)
      return true;
    const auto size = std::max(sought.matcher->get().ProgramSize(), 0);
    return spend_many(text.size() * static_cast<std::size_t>(size) / 256);
  }

  [[nodiscard]] bool spend_many(std::uint64_t more) noexcept {
    if (more > steps) [[unlikely]] {
      steps = 0;
      return spend();
    }
    steps -= more;
    return true;
  }

  /// Goes a level deeper; each success wants a `leave`.
  [[nodiscard]] bool enter() noexcept {
    if (depth == 0) [[unlikely]] {
      if (limit == validation_limit::none)
        limit = validation_limit::depth;
      steps = 0;
      return false;
    }
    --depth;
    return true;
  }

  void leave() noexcept {
    ++depth;
  }
};

} // namespace convene::protocol::validation
