#pragma once

#include <convene/protocol/documents/action.hpp>

#include <optional>
#include <string>
#include <string_view>

// Errors as providers report them.

namespace convene::host {

/// The error that an answer reports, if it reports one: {"error": ...},
/// {"type": "error"}, {"object": "error"}, or, in place of an answer,
/// {"message"}, {"detail"} or {"errors"}.
[[nodiscard]] std::optional<protocol::action_error>
reported_error(const protocol::json::object& from);

/// The error in a text that is one: JSON of any shape, a web page, or words.
/// The message is empty if it says nothing.
[[nodiscard]] protocol::action_error error_in(std::string_view text);

/// Whether a call that failed with this status and body may succeed later, as
/// the providers' own clients judge it.
[[nodiscard]] bool may_succeed_later(int status, std::string_view body);

/// A web page in a few words: its title, else its text.
[[nodiscard]] std::string page_words(std::string_view html);

} // namespace convene::host
