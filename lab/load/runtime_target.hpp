#pragma once

#include <convene/lab/load/load_recorder.hpp>
#include <convene/lab/load/session_maker.hpp>
#include <convene/lab/load/session_probe.hpp>
#include <convene/lab/load/waiting_target.hpp>
#include <convene/runtime/runtime.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <unordered_map>

namespace convene::host {

/// Runs sessions in this process. A thread of its own waits for the ends of
/// sessions to be reported, in the order in which they were logged.
class runtime_target final : public waiting_target {
public:
  /// `recorder` must outlive it. `has_log`: whether waiting for the log is
  /// worth recording.
  runtime_target(std::unique_ptr<convene::runtime> runtime, session_maker make,
                 load_recorder& recorder, bool has_log);
  ~runtime_target() override;

  void start(const load_order& order) override;

  /// Cancels what is left.
  void abandon() override;

  /// Closes the runtime; an error is one of its log. To be called last.
  [[nodiscard]] result<void> close();

private:
  struct running {
    load_order order;
    load_time began{};
    std::shared_ptr<session_probe> probe;
    session_handle handle;
  };

  void wait_for_ends(const std::stop_token& stop);
  /// Of a session whose last event was seen.
  void report_end(std::uint64_t number);
  /// Sessions that stop with an error log no last event.
  void look_for_failed();
  void tell_end(const running& what, const result<session_result>& outcome);

  std::unique_ptr<convene::runtime> runtime_;
  session_maker make_;
  load_recorder& recorder_;
  const bool has_log_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_map<std::uint64_t, running> running_; ///< guarded by mutex
  std::deque<std::uint64_t> seen_ends_;                ///< likewise
  std::jthread waiter_;
};

} // namespace convene::host
