#pragma once

#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// The five parts of a URI reference (RFC 3986, appendix B), each with its
/// delimiter; empty where absent. Nothing is checked.
struct uri_parts {
  std::string_view scheme;    ///< "http:"
  std::string_view authority; ///< "//example.org"
  std::string_view path;
  std::string_view query;    ///< "?a"
  std::string_view fragment; ///< "#b"
};
[[nodiscard]] uri_parts split_uri(std::string_view text) noexcept;

/// `reference` as seen from `base` (RFC 3986, 5.2). Both may lack a scheme:
/// paths of files resolve like paths of URLs.
[[nodiscard]] std::string resolve_uri(std::string_view base,
                                      std::string_view reference);

/// A URI cut at its first `#`; the fragment comes without it.
struct uri_with_fragment {
  std::string_view resource;
  std::string_view fragment;
};
[[nodiscard]] uri_with_fragment split_fragment(std::string_view uri) noexcept;

} // namespace convene::protocol::validation
