#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>

namespace convene::cli {

/// While it lives, SIGINT, SIGTERM and those in `more` do not end the process,
/// unless they were ignored before, as SIGHUP is after nohup: the first one
/// calls back, on a thread of its own; the second one ends the process at
/// once, with 128 + its number. Create it before any other thread starts, so
/// that these inherit what is blocked.
class signal_watch {
public:
  explicit signal_watch(std::function<void()> on_first,
                        std::initializer_list<int> more = {});

  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  /// The first signal that came; 0: none.
  [[nodiscard]] int caught() const noexcept {
    return caught_;
  }

  /// The exit code after the first signal; without one, the given code.
  [[nodiscard]] int exit_code(int otherwise) const noexcept {
    return caught_ == 0 ? otherwise : 128 + caught_;
  }

private:
  void watch();

  std::function<void()> on_first_;
  std::atomic<int> caught_{0};
  sigset_t watched_{};
  int signals_ = -1; // readable when a signal is there
  int stop_ = -1;    // readable when the thread shall end
  std::thread thread_;
};

} // namespace convene::cli
