#pragma once

#include <convene/cli/pages/html_page.hpp>

namespace convene::cli {

/// The page of `convene view`, of one session.
[[nodiscard]] page_source view_source() noexcept;

/// The same for two runs.
[[nodiscard]] page_source view_compare_source() noexcept;

/// The same for several sessions of one run, with their list.
[[nodiscard]] page_source view_list_source() noexcept;

} // namespace convene::cli
