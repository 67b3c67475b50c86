#pragma once

#include <functional>
#include <string_view>
#include <system_error>

namespace convene::host {

/// Takes the next bytes of a file. False: no more are needed.
using block_visitor = std::function<bool(std::string_view)>;

/// Reads a descriptor to its end in blocks of 64 KiB. Returns why that failed;
/// nothing if all was read that was needed.
[[nodiscard]] std::error_code read_blocks(int file, const block_visitor& take);

} // namespace convene::host
