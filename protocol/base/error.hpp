#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// What went wrong, distinguished as far as a caller can act on it. Finer
/// detail belongs in `error::message` and `error::rule`.
enum class errc : std::uint8_t {
  unreadable = 1,     ///< a file or folder is missing or cannot be read
  invalid_json,       ///< the bytes are not JSON text that we accept
  invalid_document,   ///< JSON, but not a valid document of its kind
  limit_reached,      ///< a bound was reached; `rule` names it
  activation_refused, ///< a session may not start; `rule` names the rule
  unsupported, ///< valid, but not supported by this version; `rule` says what
  not_allowed, ///< the session's state does not permit it
  io_failed,   ///< writing, syncing or creating a file failed
  usage,       ///< an invalid command line
  internal,    ///< an internal fault
};

/// The snake_case name of `code`, as `--json` prints it.
[[nodiscard]] std::string_view to_word(errc code) noexcept;

/// A failure as a value: a code to branch on, a sentence for a person and, if
/// the input has one, the exact place. Empty or 0 means unknown.
struct error {
  errc code = errc::internal;
  std::string message;    ///< what is wrong and what to do, one sentence
  std::string file;       ///< as the user named it
  std::string pointer;    ///< JSON pointer (RFC 6901) to the value
  std::string rule;       ///< the broken rule: "required", "max_turns", ...
  std::string value;      ///< the value found there, shortened
  std::size_t line = 0;   ///< 1-based
  std::size_t column = 0; ///< 1-based, in bytes

  bool operator==(const error&) const = default;
};

/// `file:line:column: pointer: message (found value)`, without what is unknown
/// and without the rule, which is for programs.
[[nodiscard]] std::string to_string(const error& what);

/// Returned by every fallible function in the project. Becomes `std::expected`
/// with the first compiler that has it.
template <class T>
using result = tl::expected<T, error>;

/// Creates a failed `result` of any type.
[[nodiscard]] inline tl::unexpected<error> fail(error what) {
  return tl::unexpected<error>{std::move(what)};
}

/// Likewise, without a place.
[[nodiscard]] inline tl::unexpected<error> fail(errc code, std::string message,
                                                std::string rule = {}) {
  return fail(
    {.code = code, .message = std::move(message), .rule = std::move(rule)});
}

} // namespace convene::protocol
