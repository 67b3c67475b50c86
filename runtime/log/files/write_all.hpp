#pragma once

#include <string_view>

namespace convene::host {

/// Writes the whole text to a descriptor. False: `errno` says why, and a part
/// of it may be written.
[[nodiscard]] bool write_all(int file, std::string_view text);

} // namespace convene::host
