#pragma once

#include <span>
#include <string_view>

namespace convene::server {

/// One of the files that make the page.
struct page_file {
  std::string_view name; ///< "page.html"
  std::string_view text;
};

/// All of them, by name.
[[nodiscard]] std::span<const page_file> page_files() noexcept;

} // namespace convene::server
