#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// Data in a page: its script reads it from the element with that id.
struct page_block {
  std::string id;    ///< letters and digits
  std::string bytes; ///< deflated, see deflate.hpp
};

/// The files that a page is made of, embedded.
struct page_source {
  std::string_view style;  ///< CSS
  std::string_view body;   ///< HTML, without anything from outside
  std::string_view script; ///< a classic script
};

/// Those of a report.
[[nodiscard]] page_source report_source() noexcept;

/// A page of one file: it runs its own script and style, by their hashes, and
/// no other; nothing in it can ask for anything; text in it is only ever text.
struct html_page {
  std::string title; ///< any text
  page_source source;
  std::vector<page_block> first; ///< what the script wants at once
  std::vector<page_block> later; ///< what it may want before all is loaded
};

/// The page's HTML.
[[nodiscard]] std::string to_html(const html_page& page);

} // namespace convene::cli
