#pragma once

#include <convene/cli/view/timeline.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::cli {

/// How events are written.
enum class event_form : std::uint8_t {
  rows,  ///< a line each, for people
  lines, ///< as they stand on the log
  json,  ///< one document
  none,  ///< --quiet
};

/// Writes events to standard output as they come, without keeping them.
class event_output {
public:
  event_output(event_form form, timeline_style style);

  /// An error only for `json`, where the line is no JSON text.
  [[nodiscard]] protocol::result<void> show(std::string_view event);

  /// What is to be said behind the events.
  struct ending {
    std::string log;
    std::optional<std::string> cursor; ///< where to go on
    bool more = false;                 ///< a limit left events out
    bool is_read = false;              ///< all that there is was read
    std::uint64_t unacknowledged_bytes = 0;
    std::optional<protocol::error> error; ///< why it ended early
  };

  /// Closes the document, or says on standard error what a person wants to
  /// know. Returns the exit code.
  [[nodiscard]] int finish(const ending& how);

  [[nodiscard]] std::uint64_t shown() const noexcept {
    return shown_;
  }

private:
  event_form form_;
  timeline_style style_;
  std::uint64_t shown_ = 0;
};

} // namespace convene::cli
