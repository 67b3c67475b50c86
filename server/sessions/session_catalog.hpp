#pragma once

#include <convene/server/sessions/request_change.hpp>
#include <convene/session/story/session_gist.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace convene::server {

/// What the log says of a session, in short.
struct session_row {
  std::string session_id;
  std::string status = "active"; ///< the word of its collab_status, or `draft`
  std::string mode;
  std::string title; ///< cut to `title_bytes_max`
  std::string started_at;
  std::string last_event_at;
  std::uint64_t events = 0; ///< that are durable, so the last one's sequence
  session::session_gist gist;
  bool ended = false;

  static constexpr std::size_t title_bytes_max = 200;
  /// It was created, and has not been started: it has no event.
  static constexpr const char* draft = "draft";
};

/// Which sessions a page has.
struct session_query {
  std::size_t after = 0; ///< `next` of the page before; 0: the first page
  std::size_t limit = 100;
  bool newest_first = false;
  /// Lists by `start_key`, in place of the order in which they came to this
  /// log: the order is the same on all nodes of a cluster.
  bool by_start = false;
  std::string after_key = {}; ///< with `by_start`, in place of `after`
  std::string status = {};    ///< empty: any, as everywhere below
  std::string mode = {};
  std::string condition = {}; ///< that ended it
  /// In any case, in its title, its id, its participants or its end.
  std::string text = {};
  std::optional<bool> has_failures = {};

  [[nodiscard]] bool admits(const session_row& row) const;
};

/// By when it began, then by its id; drafts are the newest.
[[nodiscard]] std::string start_key(std::string_view started_at,
                                    std::string_view session_id);

/// How many sessions there are, of each kind.
struct session_sums {
  std::map<std::string, std::size_t> statuses;
  std::map<std::string, std::size_t> modes;
  std::map<std::string, std::size_t> conditions; ///< that ended them
  std::size_t completed_with_failures = 0;
  std::size_t matching = 0; ///< what the query admits

  static constexpr std::size_t words_max = 100; ///< of modes and of conditions
};

/// The sessions of a log, in the order in which they began, as far as their
/// events are durable, and who waits for more of them; and those that were
/// created and not started. One thread feeds it; everything else is
/// thread-safe.
class session_catalog {
public:
  using clock = std::chrono::steady_clock;

  /// Takes the log's next durable event. Returns what it means for requests to
  /// people.
  std::optional<request_change> feed(std::string_view line);

  /// Adds one that was not started; false: its id is taken.
  bool add_draft(session_row row);
  /// Drops one, and calls those who wait for its events.
  void drop_draft(const std::string& id);
  /// Drops one that has ended.
  void drop_ended(const std::string& id);

  /// Calls those who wait for what was fed since. Returns whether any of it was
  /// of a session with people.
  bool tell();

  /// Nothing more will be fed: calls everybody who waits.
  void close();
  [[nodiscard]] bool is_closed() const;

  /// Another node of a cluster has the session: nothing more will be fed of it,
  /// until `take_back`.
  void let_go(const std::string& id);
  void take_back(const std::string& id);
  [[nodiscard]] bool is_elsewhere(const std::string& id) const;
  /// Calls those who wait for its events.
  void call_waiters(const std::string& id);

  /// Whether nothing more will be fed of a session.
  [[nodiscard]] bool is_closed_for(const std::string& id) const;

  [[nodiscard]] std::optional<session_row> find(std::string_view id) const;

  /// How many have begun and not ended.
  [[nodiscard]] std::size_t open() const;

  struct page {
    std::vector<session_row> rows;
    std::size_t next = 0;      ///< for `after`; 0: there are no more
    std::string next_key = {}; ///< for `after_key`; empty: there are no more
  };

  /// Without sessions that another node has.
  [[nodiscard]] page list(const session_query& of) const;

  /// Looks at every session, except for those that another node has.
  [[nodiscard]] session_sums sums(const session_query& of) const;

  /// Calls `then` once there are more than `after` events of the session, or
  /// nothing more will come: on the thread that feeds. Returns a number for
  /// `forget`; 0: that is so already, and `then` is not called. After `expires`
  /// the call may be left out.
  [[nodiscard]] std::size_t
  when_more(const std::string& id, std::uint64_t after,
            std::function<void()> then, clock::time_point expires);
  void forget(const std::string& id, std::size_t number);

  /// How many wait, for tests.
  [[nodiscard]] std::size_t waiting() const;

private:
  struct entry {
    session_row row;
    session_people people;
    bool is_fed = false; ///< so it is not dropped any more
  };
  using entries = std::map<std::size_t, entry>; ///< by position
  struct waiter {
    std::size_t number = 0;
    std::uint64_t after = 0;
    std::function<void()> then;
    clock::time_point expires;
  };

  [[nodiscard]] page list_by_start(const session_query& of) const;
  [[nodiscard]] bool is_listed(const session_row& row) const {
    return elsewhere_.empty() || !elsewhere_.contains(row.session_id);
  }
  [[nodiscard]] entry& entry_of(std::string_view id);
  void drop(const std::string& id,
            const std::function<bool(const entry&)>& may);
  void update(entry& of, std::string_view type,
              const protocol::json::object& event);

  mutable std::mutex mutex_; ///< guards what follows; the feeder reads freely
  entries entries_;
  std::size_t next_position_ = 0;
  std::size_t open_ = 0;
  std::unordered_map<std::string, entries::iterator> places_;
  std::unordered_set<std::string> touched_;
  bool touched_people_ = false;
  std::unordered_map<std::string, std::vector<waiter>> waiters_;
  std::size_t last_number_ = 0;
  bool closed_ = false;
  std::unordered_set<std::string> elsewhere_;
};

} // namespace convene::server
