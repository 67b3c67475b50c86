#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

// Texts of events as they are told: cut, and safe to show.
namespace convene::session::words {

namespace json = boost::json;

/// Texts are kept to so many bytes.
[[nodiscard]] std::string kept(std::string_view text);

/// The beginning of what was said, in quotes and safe to show.
[[nodiscard]] std::string said(std::string_view text);

[[nodiscard]] std::string name(std::string_view id);

[[nodiscard]] std::string resource_in(const json::object& payload);

/// How an answer ended, as a sentence goes on after a name.
[[nodiscard]] std::string ended_words(std::string_view status);

[[nodiscard]] std::string error_words(const json::object& payload);

/// The same with the message in full, up to a bound.
[[nodiscard]] std::string whole_error_words(const json::object& payload);

/// "lead decided: dispatch, wait".
[[nodiscard]] std::string decision_words(const json::object& reply);

/// What somebody else did to the session; empty: nothing that is told.
[[nodiscard]] std::string_view control_words(std::string_view input);

[[nodiscard]] std::string_view trouble_words(std::string_view input);

} // namespace convene::session::words
