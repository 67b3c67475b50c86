#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <re2/re2.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// The automaton of a pattern. May be made when it is first asked for, from any
/// thread.
class pattern_matcher {
public:
  /// Without `made`, the automaton is that of `source`, which `make_pattern`
  /// has accepted before.
  explicit pattern_matcher(std::string source,
                           std::unique_ptr<const re2::RE2> made = {});
  pattern_matcher(const pattern_matcher&) = delete;
  pattern_matcher& operator=(const pattern_matcher&) = delete;
  ~pattern_matcher();

  [[nodiscard]] const re2::RE2& get() const {
    const auto* const made = made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make();
  }

private:
  const re2::RE2& make() const;

  std::string source_;
  mutable std::atomic<const re2::RE2*> made_;
};

/// A pattern ready to match: safe to use from several threads.
struct pattern {
  std::string source; ///< as the schema has it
  std::unique_ptr<const pattern_matcher> matcher;
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

/// A pattern that `make_pattern` has accepted before, compiled when it is first
/// searched for.
[[nodiscard]] pattern accepted_pattern(std::string_view source);

/// Whether the pattern is found anywhere in `text`; linear in its length.
[[nodiscard]] inline bool is_found(const pattern& in, std::string_view text) {
  if (in.is_identifier)
    return is_uuid_v4(text);
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                in.matcher->get());
}

} // namespace convene::protocol::validation
