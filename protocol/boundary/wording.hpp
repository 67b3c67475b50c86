#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json_schema/validate.hpp>

#include <string>

namespace convene::protocol::boundary {

/// The violation that says most: the first of those deepest in the document.
/// There is at least one.
[[nodiscard]] const violation& main_violation(const validation_outcome& of);

/// What is wrong, in a line: place, expectation, what was found, keyword and
/// the way through the schema; or the limit that was reached.
[[nodiscard]] std::string in_words(const validation_outcome& of);

/// What is wrong and what to do, without the place.
[[nodiscard]] std::string message_of(const violation& what);

/// The main violation as an error, with the place behind `pointer`.
[[nodiscard]] error to_error(const validation_outcome& of,
                             const std::string& pointer = {});

} // namespace convene::protocol::boundary
