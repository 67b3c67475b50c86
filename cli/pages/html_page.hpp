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

/// A page of one file: it runs its own script and style, by their hashes, and
/// no other; nothing in it can ask for anything; text in it is only ever text.
struct html_page {
  std::string title;             ///< any text
  std::string style;             ///< CSS
  std::string_view body;         ///< HTML, without anything from outside
  std::string script;            ///< a classic script
  std::vector<page_block> first; ///< what the script wants at once
  std::vector<page_block> later; ///< what it may want before all is loaded
};

/// The page's HTML.
[[nodiscard]] std::string to_html(const html_page& page);

} // namespace convene::cli
