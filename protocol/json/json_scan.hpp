#pragma once

#include <convene/protocol/json/json_text.hpp>

#include <optional>

namespace convene::protocol {

/// The first fault of a JSON text in UTF-8, with line, column and, for a
/// duplicate key, pointer. simdjson reports only that there is one.
[[nodiscard]] std::optional<error> find_fault(std::string_view text,
                                              const json_limits& limits);

/// An error at `offset` of `text`.
[[nodiscard]] error fault_at(std::string_view text, std::size_t offset,
                             std::string rule, std::string message);

/// `text` with its comments and trailing commas turned into spaces, so that
/// every other byte keeps its position.
[[nodiscard]] std::string blank_relaxations(std::string_view text);

} // namespace convene::protocol
