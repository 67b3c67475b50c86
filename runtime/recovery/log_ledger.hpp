#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/recovery/session_lines.hpp>

#include <cstdint>
#include <functional>
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

/// A session, as far as the beginnings of its lines tell.
struct logged_session {
  std::string id;
  /// Whether its first event here is its first; so too where that event is of
  /// no session that a segment could be removed of.
  bool has_beginning = false;
  bool has_ended = false;
  bool is_wanted = true; ///< unfinished, or wanted nevertheless
  session_lines lines;   ///< where they stand; kept while it is wanted
};

/// Which sessions a log has, which of them have ended and where the lines of
/// the others stand, from one look at each line.
class log_ledger {
public:
  /// Which of the sessions that have ended are wanted; unset: none.
  using wish = std::function<bool(const std::string& session_id)>;

  explicit log_ledger(wish wants_ended = {});

  /// The log's next event.
  void feed(const log_place& place, std::string_view line);

  /// In the order in which they began.
  [[nodiscard]] const std::vector<logged_session>& sessions() const noexcept {
    return sessions_;
  }
  /// The log's files by their index, as far as there are events; empty where a
  /// file has none.
  [[nodiscard]] const std::vector<std::string>& files() const noexcept {
    return files_;
  }
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
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  [[nodiscard]] logged_session& session_of(std::string_view id,
                                           std::string_view line);

  wish wants_ended_;
  std::vector<std::string> files_;
  std::vector<logged_session> sessions_;
  std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>>
    positions_;
  std::size_t last_ = 0; ///< the session of the line before
  std::set<protocol::uuid> keys_;
  std::uint64_t events_ = 0;
  protocol::timestamp_ms last_at_ = 0;
};

} // namespace convene::host
