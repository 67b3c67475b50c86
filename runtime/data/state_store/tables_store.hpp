#pragma once

#include <convene/runtime/data/state_store/state_tables.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace convene::host {

/// Calls that wait for a store's thread, and their bytes; further ones are
/// refused as `store_busy`. One call is always taken.
inline constexpr std::size_t state_calls_max = 4'096;
inline constexpr std::size_t state_waiting_bytes_max = 256U << 20;

/// A store over tables. Checks what it is given, and lets one call at a time
/// through to them: by a lock, where they do not wait, or on a thread that
/// belongs to them alone.
class tables_store final : public state_store {
public:
  explicit tables_store(std::unique_ptr<state_tables> tables);
  ~tables_store() override;

  /// From now on, calls take place on a thread of the store. An error if the
  /// system has no thread left.
  [[nodiscard]] protocol::result<void> start_thread();

  void get(std::string key,
           when_state<std::optional<std::string>> then) override;
  void scan(state_scan which, when_state<state_page> then) override;
  void events(state_event_query which,
              when_state<state_event_page> then) override;
  void commit(state_transaction what, when_state<void> then) override;
  void take_snapshot(std::string name, when_state<void> then) override;
  void snapshots(when_state<std::vector<std::string>> then) override;
  void restore(std::string name, when_state<void> then) override;
  void drop_snapshot(std::string name, when_state<void> then) override;
  void visit(state_visitor visit, when_state<void> then) override;
  void fill(state_source next, when_state<void> then) override;

private:
  struct call {
    std::size_t bytes = 0;
    std::function<void()> perform;
  };

  template <class T, class Work>
  void run(const protocol::result<void>& fit, std::size_t bytes, Work work,
           when_state<T> then);
  using on_name = protocol::result<void> (state_tables::*)(const std::string&);
  void with_name(std::string name, on_name work, when_state<void> then);
  [[nodiscard]] bool try_push(call next);
  void work();

  const std::unique_ptr<state_tables> tables_;
  std::mutex mutex_; ///< of the queue; without a thread, of the tables
  std::condition_variable wake_;
  std::deque<call> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

} // namespace convene::host
