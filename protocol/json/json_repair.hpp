#pragma once

#include <string>
#include <string_view>

namespace convene::protocol {

/// A JSON text of another program, changed where it breaks the rules that such
/// programs break.
struct repaired_json {
  std::string text;
  bool is_cut = false; ///< it ends inside a string, an object or an array
};

/// Repairs what `parse_json` refuses and encoders of other programs write:
/// - bytes that are not UTF-8, and escapes that are half of a surrogate pair:
///   U+FFFD;
/// - NaN, infinities and numbers beyond a double: null;
/// - integers beyond 64 bits: a double;
/// - control characters in strings: their escapes.
/// All else stays as it is, so the text may still be wrong.
[[nodiscard]] repaired_json repair_json(std::string_view text);

} // namespace convene::protocol
