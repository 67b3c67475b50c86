#pragma once

#include <string_view>

namespace convene::host {

/// Whether a header is set by convene, or would change what a call is: no
/// scenario and no other side may name it.
[[nodiscard]] bool is_reserved_header(std::string_view name);

} // namespace convene::host
