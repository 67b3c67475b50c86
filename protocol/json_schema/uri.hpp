#pragma once

#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// `reference` as seen from `base` (RFC 3986, 5.2). Both may lack a scheme:
/// paths of files resolve like paths of URLs.
[[nodiscard]] std::string resolve_uri(std::string_view base,
                                      std::string_view reference);

/// A URI cut at its first `#`; the fragment comes without it.
struct split_uri {
  std::string_view resource;
  std::string_view fragment;
};
[[nodiscard]] split_uri split_fragment(std::string_view uri) noexcept;

/// Undoes `%hh`; a `%` without two digits stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);

} // namespace convene::protocol::validation
