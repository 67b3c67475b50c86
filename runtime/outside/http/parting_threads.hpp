#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace convene::host {

/// Threads that nobody can join any more, since their owner was destroyed on
/// them. The program's end waits for them: they give back what they hold of
/// libraries that are taken down then. Thread-safe.
class parting_threads {
public:
  /// Those of the program. Must be called first after the libraries in question
  /// were set up: what is made last is taken down first.
  static parting_threads& all();

  parting_threads() = default;
  parting_threads(const parting_threads&) = delete;
  parting_threads& operator=(const parting_threads&) = delete;

  /// As `wait`.
  ~parting_threads();

  /// Waits for all that there are, but not for the caller.
  void wait();

  /// Once `held` has expired, the thread must not wait for anything.
  void take(std::jthread which, std::weak_ptr<const void> held);

private:
  struct parting_thread {
    std::jthread thread;
    std::weak_ptr<const void> held;
  };

  std::mutex mutex_;
  std::vector<parting_thread> threads_; ///< guarded
};

} // namespace convene::host
