#pragma once

#include <convene/cli/commands/view/event_likeness.hpp>
#include <convene/cli/commands/view/view_session.hpp>
#include <convene/cli/pages/html_page.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/spool.hpp>
#include <convene/session/story/session_story.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// What a page can have.
struct view_limits {
  std::uint64_t events_max = 5'000'000;
  std::size_t sessions_max = 10'000;
  std::size_t bars_max = 10'000'000;               ///< of all sessions
  std::size_t bytes_max = std::size_t{512} << 20U; ///< deflated
};

/// A session of the first run and one of the other, by their places on the
/// page, from 0.
struct compared_sessions {
  std::size_t one = 0;
  std::size_t other = 0;
  /// How many events they have in common at their beginnings; unset: all.
  std::optional<std::size_t> differs_at;
  bool is_set_up_alike = true;
};

/// A page whose blocks of events, as HTML, are not in memory.
struct view_page {
  html_halves html;
  host::spool events;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return html.before.size() + events.bytes() + html.after.size();
  }
  /// Hands over the page in pieces.
  [[nodiscard]] protocol::result<void>
  read(const host::spool::piece_taker& take) const;
};

/// Gathers a log's events, as they pass, for the page of its timeline: a column
/// file for each session, what `convene explain` has of it, and the events' own
/// text in blocks, which are spooled.
class log_view {
public:
  /// `is_compared`: there will be two runs.
  explicit log_view(view_limits limits = {}, bool is_compared = false)
    : limits_(limits), is_compared_(is_compared) {}

  /// What is added from now on is of the other run.
  void begin_other() {
    other_first_ = sessions_.size();
    places_.clear();
  }

  /// `text` is the event as it is on the log. Fails with errc::limit_reached,
  /// rules `view_events_max`, `view_sessions_max`, `view_bars_max` and
  /// `view_bytes_max`.
  [[nodiscard]] protocol::result<void> add(const json::object& event,
                                           std::string_view text);

  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  [[nodiscard]] std::size_t sessions() const noexcept {
    return sessions_.size();
  }

  [[nodiscard]] std::string_view session_id(std::size_t session) const {
    return sessions_.at(session).id();
  }

  /// The sessions of the two runs in pairs: those of the same id, and the
  /// others in their order.
  [[nodiscard]] std::vector<compared_sessions> compared() const;

  /// The page; `names` are the logs', one or two, `notes` what there is to say
  /// about them.
  [[nodiscard]] protocol::result<view_page>
  page(const std::vector<std::string>& names,
       const std::vector<std::string>& notes) &&;

private:
  [[nodiscard]] protocol::result<void> close_block();

  view_limits limits_;
  bool is_compared_;
  std::optional<std::size_t> other_first_; ///< first session of the other run
  std::uint64_t events_ = 0;
  std::uint64_t block_first_ = 0;
  std::size_t bytes_ = 0;
  std::size_t bars_ = 0;
  std::string block_;
  json::array block_starts_;
  host::spool blocks_;
  std::vector<view_session> sessions_;
  std::vector<session::session_story> stories_; ///< of each session
  std::vector<event_likeness> likeness_; ///< of each session, if compared
  std::map<std::string, std::size_t, std::less<>> places_;
};

} // namespace convene::cli
