#pragma once

#include <convene/protocol/base/error.hpp>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// A pattern ready to match: safe to use from several threads.
struct pattern {
  std::string source; ///< as the schema has it
  std::unique_ptr<re2::RE2> matcher;
};

/// Translates and compiles. Fails as `translate_pattern` does, and with
/// errc::limit_reached, rule `pattern_size`, for one that takes too much
/// memory.
[[nodiscard]] result<pattern> make_pattern(std::string_view source);

/// Whether the pattern is found anywhere in `text`; linear in its length.
[[nodiscard]] inline bool is_found(const pattern& in, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                *in.matcher);
}

} // namespace convene::protocol::validation
