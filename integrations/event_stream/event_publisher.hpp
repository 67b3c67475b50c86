#pragma once

#include <convene/integrations/event_stream/stream_book.hpp>
#include <convene/integrations/event_stream/stream_inbox.hpp>
#include <convene/integrations/event_stream/stream_link.hpp>
#include <convene/integrations/event_stream/stream_source.hpp>
#include <convene/server/metrics/event_stream_counts.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace convene::host {

struct publisher_options {
  std::string stream; ///< its name, with which subjects begin
  spool_limits spool;
  /// A message that is not answered for so long means that the connection is
  /// lost.
  std::chrono::milliseconds answer_time{10'000};
  /// What `end` waits for answers that are due.
  std::chrono::milliseconds farewell{1'000};
};

/// Publishes the events of sessions on a thread of its own, in the order of
/// each session, at least once. What the server does not take waits on the
/// sessions' logs, not here; no session ever waits for it.
class event_publisher {
public:
  /// A request of `hurry` ends what the source waits for. `report` is called on
  /// that thread with what an operator should know, once for each reason.
  event_publisher(publisher_options how, std::unique_ptr<stream_link> link,
                  std::unique_ptr<stream_source> source,
                  std::shared_ptr<stream_inbox> inbox, std::stop_source hurry,
                  std::function<void(std::string_view)> report);
  event_publisher(const event_publisher&) = delete;
  event_publisher& operator=(const event_publisher&) = delete;
  ~event_publisher();

  /// Publishes what is known, for `farewell` at most, and saves the cursors.
  /// Takes a few seconds at most.
  void end();

  [[nodiscard]] server::event_stream_counts counts() const;

  /// The key of its cursors; empty: there was no connection yet.
  [[nodiscard]] std::string stream() const;

private:
  using time_point = stream_book::time_point;

  void run(const std::stop_token& stop);
  void step(time_point now);
  void hear();
  void connect(time_point now);
  void collect(time_point now);
  [[nodiscard]] protocol::result<void> look(time_point now);
  [[nodiscard]] protocol::result<void> find_more(time_point now);
  [[nodiscard]] protocol::result<void> load();
  [[nodiscard]] protocol::result<void> publish();
  [[nodiscard]] protocol::result<std::vector<stream_line>>
  read(std::vector<stream_range>& ranges);
  [[nodiscard]] bool send(const std::vector<stream_line>& lines);
  void drop_missing(std::vector<stream_range>& ranges,
                    const std::vector<stream_line>& lines);
  [[nodiscard]] protocol::result<void> save(time_point now, bool at_once);
  void lose(const protocol::error& why, time_point now);
  void tell(std::string& told, const std::string& what);
  void show(time_point now);
  void part();

  const publisher_options how_;
  const std::unique_ptr<stream_link> link_;
  const std::unique_ptr<stream_source> source_;
  const std::shared_ptr<stream_inbox> inbox_;
  std::stop_source hurry_;
  const std::function<void(std::string_view)> report_;

  stream_book book_;                  ///< the thread's, like what follows
  std::optional<stream_facts> facts_; ///< set: it is connected
  time_point connect_not_before_;
  time_point last_refusal_;
  std::chrono::milliseconds connect_pause_{0};
  time_point source_not_before_;
  time_point next_look_;
  time_point next_save_;
  time_point next_show_;
  time_point next_check_;
  std::string members_;
  bool sweeps_ = true;      ///< sessions may be unfinished that are not known
  std::string swept_until_; ///< so far
  std::string told_link_;   ///< last reported
  std::string told_source_;
  std::string told_refusal_;
  bool is_busy_ = false; ///< the last step sent something
  std::uint64_t connects_ = 0;
  std::uint64_t failures_ = 0;

  mutable std::mutex mutex_; ///< guards what others read of the next two
  std::string stream_;       ///< the key of cursors; the thread's to change
  server::event_stream_counts counts_;
  std::promise<void> ended_;
  std::jthread thread_;
};

} // namespace convene::host
