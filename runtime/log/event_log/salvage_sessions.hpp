#pragma once

#include <convene/runtime/log/event_log/salvage.hpp>

#include <map>
#include <string_view>

namespace convene::host {

/// Decides which intact events of a damaged log belong to a new one: those that
/// follow their session's beginning without a gap.
class salvaged_sessions {
public:
  /// Something may be missing between the previous event and the next one.
  void gap() noexcept {
    ++stretch_;
  }

  /// Earlier segments were removed on purpose: a session whose beginning is
  /// missing, up to the first gap, had ended and is not broken.
  void begin_behind_removed() noexcept {
    behind_removed_ = true;
  }

  /// Takes the next intact event; returns whether the new log gets it. Events
  /// of no session belong to the log.
  [[nodiscard]] bool keeps(std::string_view line);

  /// Puts the counts into the report, after all events.
  void finish(salvage_report& report) const;

private:
  struct session_state {
    bool begun = false;        // its beginning was found
    bool ended = false;        // its end was found, too
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
