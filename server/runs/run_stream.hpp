#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/runs/alarms.hpp>
#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/stream_modes.hpp>
#include <convene/server/runs/turn_view.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convene::server {

/// How a stream finds a run again that has ended.
struct run_finder {
  /// The run, if it is in memory; empty: `load` may find it.
  std::function<std::optional<std::shared_ptr<hosted_run>>()> near;
  /// Reads it from disk and calls `then`, on another thread, with whether it is
  /// in memory now. False: too much is waiting.
  std::function<bool(std::function<void(bool is_there)> then)> load;
};

/// A run's events as a reader gets them by server-sent events (OpenWOP,
/// GET /v1/runs/{runId}/events): the id of each is its sequence, so that
/// `Last-Event-ID` resumes behind it. Ends after the run's last event. What a
/// reader costs is its place and what it is being sent. In the mode messages,
/// it is sent besides what is said while it listens, as `ai.message.chunk`
/// without an id: these are no events, and a slow reader loses some.
class run_stream final : public stream_source {
public:
  /// Begins with the event of sequence `from`. `timer` must outlive it. With
  /// `again`, a run that has ended is not held between reads, so that slow
  /// readers cost no memory; without, it is.
  run_stream(std::shared_ptr<hosted_run> run, const stream_modes& modes,
             std::size_t from, alarms& timer, run_finder again = {},
             turn_view view = {});
  ~run_stream() override;
  run_stream(const run_stream&) = delete;
  run_stream& operator=(const run_stream&) = delete;

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  /// An event that the reader wants.
  struct chosen {
    std::size_t sequence = 0;
    std::string type;
    std::string data;
  };

  [[nodiscard]] bool reach(const std::function<void()>& more);
  void let_go();
  void hear();
  void end_chunks(const protocol::run_event& event);
  /// Looks at what is there, but not for long: `wait` calls at once if there is
  /// more.
  void choose(std::size_t bytes_max);
  void take(const event_text& text);
  [[nodiscard]] bool may_send(std::size_t bytes_max) const;
  [[nodiscard]] std::string take_all();
  void wait(std::function<void()> more);
  void stop_waiting();

  const protocol::uuid id_;
  std::shared_ptr<hosted_run> run_; ///< null between reads, if it has ended
  std::weak_ptr<hosted_run> known_;
  const run_finder again_;
  /// Why it cannot be read any more, if so: it was not found.
  const std::shared_ptr<std::atomic<bool>> is_lost_
    = std::make_shared<std::atomic<bool>>(false);
  bool is_refused_ = false; ///< too much is waiting
  const stream_modes modes_;
  const turn_view view_;
  alarms& timer_;
  const std::size_t first_; ///< the event that the reader wants first
  std::size_t next_; ///< to be looked at; a snapshot is made of all before
  bool at_end_ = false;
  bool is_urgent_ = false; ///< what is collected is to be sent now
  std::vector<chosen> collected_;
  std::size_t collected_bytes_ = 0;
  const std::shared_ptr<chunk_listener> listener_; ///< of the mode messages
  std::string said_;                               ///< chunks, to be sent now
  std::set<std::string, std::less<>> speaking_;    ///< nodes, of those sent
  alarms::clock::time_point since_;           ///< that the first was collected
  std::optional<session::run_machine> shown_; ///< for snapshots
  std::size_t waiter_ = 0;
  std::optional<alarms::key> alarm_;
};

/// One server-sent event; without an id, if that is empty.
[[nodiscard]] std::string sse_event(std::string_view id, std::string_view type,
                                    std::string_view data);

} // namespace convene::server
