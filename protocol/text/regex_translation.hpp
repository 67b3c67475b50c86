#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// An ECMA 262 pattern (as with the flag `u`) in the language of RE2, which
/// matches in linear time. errc::unsupported for what no such matcher supports,
/// with rule `lookahead`, `lookbehind`, `backreference`, `surrogate` or
/// `property`; errc::invalid_document, rule `pattern`, for a wrong pattern.
/// What RE2 checks itself (brackets, repetitions) is left to it.
[[nodiscard]] result<std::string> translate_pattern(std::string_view pattern);

} // namespace convene::protocol::validation
