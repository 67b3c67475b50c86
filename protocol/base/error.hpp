#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// What went wrong, in as many words as a caller can act on differently.
/// Anything finer belongs in `error::message` and `error::rule`.
enum class errc : std::uint8_t {
  unreadable = 1,     ///< a file or folder is missing or cannot be read
  invalid_json,       ///< the bytes are no JSON text that we accept
  invalid_document,   ///< JSON, but not what its kind of document must be
  limit_reached,      ///< a bound was reached; `rule` names it
  activation_refused, ///< a session may not start; `rule` names the rule
  unsupported, ///< valid, but this version cannot do it; `rule` says what
  not_allowed, ///< the session's state does not permit it
  io_failed,   ///< writing, syncing or creating a file failed
  usage,       ///< a command line that makes no sense
  internal,    ///< a fault of ours
};

/// The snake_case name of `code`, as `--json` prints it.
[[nodiscard]] std::string_view to_word(errc code) noexcept;

/// A failure as a value: a code to branch on, a sentence for a person, and
/// where the input gives one, the exact place. Empty or 0 means: not known.
struct error {
  errc code = errc::internal;
  std::string message;    ///< what is wrong and what to do, one sentence
  std::string file;       ///< as the user named it
  std::string pointer;    ///< JSON pointer (RFC 6901) to the value
  std::string rule;       ///< the broken rule: "required", "max_turns", ...
  std::string value;      ///< what was found there, shortened
  std::size_t line = 0;   ///< 1-based
  std::size_t column = 0; ///< 1-based, in bytes

  bool operator==(const error&) const = default;
};

/// `file:line:column: pointer: message (rule; found value)`, leaving out what
/// is not known.
[[nodiscard]] std::string to_string(const error& what);

/// What every fallible function in the project returns. Becomes
/// `std::expected` with the first compiler that has it.
template <class T>
using result = tl::expected<T, error>;

/// Makes the failed `result` of any type.
[[nodiscard]] inline tl::unexpected<error> fail(error what) {
  return tl::unexpected<error>{std::move(what)};
}

/// The same, where there is no place to name.
[[nodiscard]] inline tl::unexpected<error> fail(errc code, std::string message,
                                                std::string rule = {}) {
  return fail(
    {.code = code, .message = std::move(message), .rule = std::move(rule)});
}

} // namespace convene::protocol
