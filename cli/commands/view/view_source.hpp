#pragma once

#include <convene/cli/pages/html_page.hpp>

namespace convene::cli {

/// What the page of `convene view` is made of.
[[nodiscard]] page_source view_source() noexcept;

} // namespace convene::cli
