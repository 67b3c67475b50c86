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

/// The page's HTML before and after more blocks of the latter kind.
struct html_halves {
  std::string before;
  std::string after;
};
[[nodiscard]] html_halves to_html_halves(const html_page& page);

/// A block's HTML.
[[nodiscard]] std::string block_html(const page_block& block);

} // namespace convene::cli
