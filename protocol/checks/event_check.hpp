#pragma once

#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// A rule that a log breaks, and where. docs/coordination.md lists the rules;
/// json, event_shape, event_id_is_uuid_v4 and event_id_unique are about single
/// events, the others about a session.
struct finding {
  std::string rule;
  std::string session_id; ///< empty where the event names none
  std::size_t line = 0;   ///< as fed; 0 where no single line is to blame
  std::string message;    ///< one sentence; quotes from the log are shortened

  bool operator==(const finding&) const = default;
};

struct check_options {
  /// A log may stop in the middle of a session, as that of a running one does.
  bool allow_unfinished = false;
  /// Findings that are kept; all are counted.
  std::size_t findings_max = 100;
};

/// Judges the events of a log, in which many sessions may interleave, one by
/// one. Keeps the ids of events, turn tokens and sessions, and of a session
/// that has not ended its participants and what is open.
class event_checker {
public:
  explicit event_checker(check_options options = {});
  event_checker(event_checker&&) noexcept;
  event_checker& operator=(event_checker&&) noexcept;
  ~event_checker();

  /// The next event of the log, in order.
  void feed(std::size_t line, const json::value& event);

  /// Instead of `feed`, for a line that is not JSON: a finding of rule `json`.
  void feed_invalid(std::size_t line, std::string_view why);

  /// To be called once, after the last event. Findings in the order they were
  /// made, which is that of the lines; those about the log's end come last.
  [[nodiscard]] std::vector<finding> finish();

  /// All findings so far, including those not kept.
  [[nodiscard]] std::size_t findings_total() const noexcept;

  /// Number of sessions so far.
  [[nodiscard]] std::size_t sessions_total() const noexcept;

  /// Those with actions whose results no digest protects, as earlier versions
  /// wrote them.
  [[nodiscard]] std::size_t sessions_undigested() const noexcept;

private:
  struct log_state;
  std::unique_ptr<log_state> state_;
};

} // namespace convene::protocol
