#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/log/recovery/session_lines.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convene::host {

/// A session, as known from the beginnings of its lines.
struct logged_session {
  std::string id;
  /// Whether its first event here is its first. Also true if that event is of
  /// no session whose segments could have been removed.
  bool has_beginning = false;
  bool has_ended = false;
  bool is_wanted = true; ///< unfinished, or explicitly wanted
  session_lines lines;   ///< their places; kept while it is wanted
};

/// Which sessions a log has, which of them have ended and where the lines of
/// the others are, from a single pass over the lines.
class log_ledger {
public:
  /// Which of the sessions that have ended are wanted; unset: none.
  using wish = std::function<bool(const std::string& session_id)>;

  explicit log_ledger(wish wants_ended = {});

  /// The log's next event.
  void feed(const log_place& place, std::string_view line) {
    feed(place, head_of(line), line);
  }
  /// The same for a line whose head was read.
  void feed(const log_place& place, const line_head& head,
            std::string_view line);

  /// In the order in which they began.
  [[nodiscard]] const std::vector<logged_session>& sessions() const noexcept {
    return sessions_;
  }
  /// The session of this id; null: the log has no event of it.
  [[nodiscard]] const logged_session* find(std::string_view id) const;

  /// The log's files by index, as far as there are events; empty for a file
  /// without events.
  [[nodiscard]] const std::vector<std::string>& files() const noexcept {
    return files_;
  }
  /// The keys that the sessions' ids were derived from.
  [[nodiscard]] const std::set<protocol::uuid>& keys() const noexcept {
    return keys_;
  }
  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  /// Time of the last event; 0: none.
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
