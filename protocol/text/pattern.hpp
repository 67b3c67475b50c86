#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// A pattern ready to match: safe to use from several threads.
struct pattern {
  std::string source; ///< as the schema has it
  std::unique_ptr<re2::RE2> matcher;
  /// It is the protocol's pattern of an identifier, of which documents and logs
  /// are full: `is_uuid_v4` says the same in a tenth of the time.
  bool is_identifier = false;
};

/// Whether a capital matches its small letter.
enum class letter_case : std::uint8_t { matters, ignored };

/// Translates and compiles. Fails as `translate_pattern` does, and with
/// errc::limit_reached for one that takes too much memory (rule `pattern_size`)
/// or could take too many steps in 1 MiB of text (`pattern_steps`).
[[nodiscard]] result<pattern>
make_pattern(std::string_view source,
             letter_case letters = letter_case::matters);

/// Whether the pattern is found anywhere in `text`; linear in its length.
[[nodiscard]] inline bool is_found(const pattern& in, std::string_view text) {
  if (in.is_identifier)
    return is_uuid_v4(text);
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                *in.matcher);
}

} // namespace convene::protocol::validation
