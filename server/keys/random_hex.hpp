#pragma once

#include <cstddef>
#include <string>

namespace convene::server {

/// Random bytes that nobody can guess, as hexadecimal digits; empty: the system
/// has none.
[[nodiscard]] std::string random_hex(std::size_t bytes);

} // namespace convene::server
