#pragma once

#include <convene/integrations/event_stream/stream_link.hpp>
#include <convene/integrations/event_stream/stream_source.hpp>
#include <convene/server/metrics/event_stream_counts.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::host {

/// What is sent and not acknowledged yet is bounded.
struct spool_limits {
  std::size_t events_max = 4'096;
  std::size_t bytes_max = std::size_t{16} << 20; ///< of bodies, and one more
  /// After that time the server has synced what it acknowledged, if the
  /// connection still counts as one. Longer than the server's sync interval by
  /// the time that it takes to notice its loss.
  std::chrono::milliseconds settle_time{150'000};
};

/// Which events a stream has, session by session, and which ones are sent next.
/// A server that was lost may have lost what it acknowledged within the last
/// `settle_time`, so this is sent again to its next run; the stream removes
/// repeats by their ids. Reads no clock, and for one thread.
class stream_book {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit stream_book(spool_limits how = {}) : how_{how} {}

  /// A connection was made. What was not acknowledged is sent again, and what
  /// has not settled if this is another run of the server. If the stream is
  /// another one, the cursors of all sessions are to be loaded again.
  void begin(const stream_facts& facts);

  /// The session's log has so many events.
  void learn(const std::string& session_id, std::uint64_t length,
             time_point now);
  /// Sessions whose cursors are to be loaded.
  [[nodiscard]] std::vector<std::string> unloaded(std::size_t most) const;
  /// Once there was a connection.
  void load(const stream_cursor& row, time_point now);

  /// What to read and send: not more than is allowed to be unacknowledged.
  /// `give_back` returns what was not sent.
  [[nodiscard]] std::vector<stream_range> next(std::size_t most,
                                               time_point now);
  [[nodiscard]] bool has_room() const noexcept;
  void give_back(std::span<const stream_range> ranges);
  /// The log has no more of the session, which is forgotten.
  void drop(const std::string& session_id);
  /// In the order of the session's events.
  void sent(const stream_message& what, time_point now);
  void take(const stream_answer& what, time_point now);

  /// What has settled by now. Only while there is a connection.
  void settle(time_point now);
  /// Cursors to save; then `saved` is called with them.
  [[nodiscard]] std::vector<stream_cursor> changed() const;
  void saved(std::span<const stream_cursor> rows);

  [[nodiscard]] std::size_t sessions() const noexcept {
    return sessions_.size();
  }
  /// Whether events are known that the stream has not acknowledged.
  [[nodiscard]] bool is_behind() const;
  /// When the oldest message that is not answered was sent; `max`: none is.
  [[nodiscard]] time_point oldest_sent() const;
  /// What it knows of them: messages, answers and lag.
  [[nodiscard]] server::event_stream_counts counts(time_point now) const;

private:
  struct flight {
    std::size_t bytes = 0;
    time_point sent;
    bool is_acked = false;
  };
  struct standing {
    std::uint64_t length = 0;
    std::uint64_t sent = 0;    ///< the first ones, since the last way back
    std::uint64_t highest = 0; ///< of all that were sent
    std::uint64_t acked = 0;
    std::uint64_t settled = 0;
    std::uint64_t saved_acked = 0;
    std::uint64_t saved_settled = 0;
    bool is_loaded = false;
    bool is_ready = false; ///< in `ready_`
    bool has_ended = false;
    std::deque<flight> flights; ///< from `acked` + 1 to `sent`
    std::deque<std::pair<time_point, std::uint64_t>> acked_at;
    time_point since; ///< when the next event to be acked became so
  };

  void make_ready(const std::string& session_id, standing& of);
  void go_back(const std::string& session_id, standing& of, std::uint64_t to);
  void advance(standing& of, time_point now);
  void refuse(const std::string& session_id, standing& of, time_point now);

  spool_limits how_;
  std::string server_;
  std::string stream_;
  std::unordered_map<std::string, standing> sessions_;
  std::deque<std::string> ready_;
  std::size_t unloaded_ = 0;     ///< sessions
  std::size_t flying_ = 0;       ///< messages that are not answered
  std::size_t flying_bytes_ = 0; ///< of these
  time_point not_before_;        ///< after a refusal
  std::chrono::milliseconds pause_{0};
  server::event_stream_counts counts_;
};

} // namespace convene::host
