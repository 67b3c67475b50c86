#pragma once

#include <convene/runtime/event_log/salvage.hpp>

#include <map>
#include <string_view>

namespace convene::host {

/// Says which intact events of a damaged log belong to a new one: those that
/// follow their session's beginning without a gap.
class salvaged_sessions {
public:
  /// Between the event before and the next one something may be missing.
  void gap() noexcept {
    ++stretch_;
  }

  /// Earlier segments were removed on purpose: whose beginning is not there, up
  /// to the first gap, had ended and is no broken session.
  void begin_behind_removed() noexcept {
    behind_removed_ = true;
  }

  /// Takes the next intact event; whether the new log has it. Events of no
  /// session go with the log.
  [[nodiscard]] bool keeps(std::string_view line);

  /// Puts the counts into the report, once all events were seen.
  void finish(salvage_report& report) const;

private:
  struct session_state {
    bool begun = false;        // its beginning is there
    bool ended = false;        // its end is, too
    bool removed = false;      // its beginning, on purpose
    std::uint64_t stretch = 0; // in which it begins
    std::uint64_t kept = 0;
    std::uint64_t left_out = 0;
  };

  std::map<protocol::uuid, session_state> sessions_;
  std::uint64_t stretch_ = 0; // the gaps so far
  bool behind_removed_ = false;
  std::uint64_t kept_ = 0;
  std::uint64_t left_out_ = 0;
};

} // namespace convene::host
