#pragma once

#include <convene/protocol/timestamp.hpp>
#include <convene/protocol/uuid.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convene::host {

/// What the beginning of an event's line says, without reading the rest: the
/// first members of these names, empty where there are none. Of a line that is
/// not as a session machine writes it that may be wrong; such an event no
/// replay makes. All point into the line.
struct line_head {
  std::string_view event_type; ///< empty unless it stands where it should
  std::string_view session_id;
  std::string_view timestamp;
};

[[nodiscard]] line_head head_of(std::string_view line) noexcept;

/// Which sessions a log has and which of them have ended, from one look at
/// each line.
class log_ledger {
public:
  /// The log's next event.
  void feed(std::string_view line);

  /// The ids of all sessions, in the order in which they began.
  [[nodiscard]] const std::vector<std::string>& sessions() const noexcept {
    return sessions_;
  }
  [[nodiscard]] bool has_ended(const std::string& id) const;

  /// What the sessions' ids were made of.
  [[nodiscard]] const std::set<protocol::uuid>& keys() const noexcept {
    return keys_;
  }
  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  /// When the last event was; 0: there is none.
  [[nodiscard]] protocol::timestamp_ms last_at() const noexcept {
    return last_at_;
  }

private:
  std::vector<std::string> sessions_;
  std::unordered_map<std::string, bool> ended_;
  std::set<protocol::uuid> keys_;
  std::uint64_t events_ = 0;
  protocol::timestamp_ms last_at_ = 0;
};

} // namespace convene::host
