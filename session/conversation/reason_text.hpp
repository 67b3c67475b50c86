#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::session {

/// What of a reason that somebody gave is written: whole characters of UTF-8,
/// `most` bytes of them, in place of others U+FFFD.
[[nodiscard]] std::string reason_text(std::string_view given, std::size_t most);

} // namespace convene::session
