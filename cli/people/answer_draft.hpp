#pragma once

#include <convene/runtime/outside/participants/people.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// What a line of a person means.
struct heard {
  enum class kind : std::uint8_t {
    reply,     ///< the answer is complete
    more,      ///< it goes on; `text` says what was noted, if anything
    complaint, ///< it cannot be taken: `text` says why, and what to do
    show,      ///< show the request again
    help,
    quit, ///< suspend the session
  };

  kind what = kind::more;
  protocol::reply reply;
  std::string text;
};

/// An answer that a person gives line by line. A line that does not begin with
/// a slash is the answer's text and ends it, unless it ends in a backslash.
/// `//` begins a text with a slash.
class answer_draft {
public:
  explicit answer_draft(const actors::turn_request& asked) : asked_(asked) {}

  /// `line` has no line end.
  [[nodiscard]] heard take(std::string_view line);

  /// The most that an answer may contain, in bytes.
  static constexpr std::size_t bytes_max = std::size_t{1} << 20;

private:
  [[nodiscard]] heard take_text(std::string_view line);
  [[nodiscard]] heard take_command(std::string_view name,
                                   std::string_view rest);
  [[nodiscard]] heard take_write(std::string_view rest);
  [[nodiscard]] heard take_vote(std::string_view name, std::string_view rest);
  [[nodiscard]] heard take_decision(std::string_view name,
                                    std::string_view rest);
  [[nodiscard]] heard finish(std::string_view last);

  const actors::turn_request& asked_;
  protocol::reply reply_; ///< so far
};

/// The commands that answer a request of this kind, a line each.
[[nodiscard]] std::string help_for(const actors::turn_request& asked);

} // namespace convene::cli
