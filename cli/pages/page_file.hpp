#pragma once

#include <string_view>

namespace convene::cli {

/// A file of cli/pages/files, embedded; empty for a name that is none of them.
[[nodiscard]] std::string_view page_file(std::string_view name) noexcept;

} // namespace convene::cli
