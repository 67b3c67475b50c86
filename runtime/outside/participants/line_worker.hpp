#pragma once

#include <convene/runtime/outside/processes/processes.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace convene::host {

/// A program that answers each line with a line, asked one line at a time. It
/// is started when it is first asked, and again after its death; it is ended
/// when a question that it works on is cancelled or takes too long, since its
/// late answer could be taken for another's. Thread-safe; hold it by
/// std::shared_ptr.
class line_worker : public std::enable_shared_from_this<line_worker> {
public:
  /// The most questions that may wait. One more fails: `queue_full`.
  static constexpr std::size_t waiting_max = 256;
  /// How long it may take to end by itself when it is no longer needed.
  static constexpr std::int64_t close_ms = 2000;

  /// The result: its line as `output`, or why there is none as `end`, with the
  /// codes of a program, and `unasked_line` and `ended_early`.
  using when_answered = std::function<void(program_result)>;

  line_worker(program what, when_error_line error_line,
              std::shared_ptr<processes> on);
  ~line_worker();

  /// Asks: on the calling thread, if no other question is open and the
  /// program's pipe has room. `then` is called once, on the loop's thread,
  /// unless it is cancelled by the function that is returned.
  std::function<void()> ask(std::string line, std::int64_t timeout_ms,
                            when_answered then);

private:
  using clock = std::chrono::steady_clock;
  using lock = std::unique_lock<std::mutex>;

  struct question {
    std::uint64_t id = 0;
    std::string line;
    std::int64_t timeout_ms = 0;
    when_answered then;
    clock::time_point deadline = clock::time_point::max();
  };

  void take_line(std::uint64_t run, std::string line);
  void take_end(std::uint64_t run, const program_end& how);
  void look_at_time(std::uint64_t timer);
  void cancel(std::uint64_t id);

  // These are called with the lock held.
  void ask_next();
  void start_program();
  void drop_program();
  void set_timer();
  void close_open(lock held, program_result with);
  void refuse(question which, std::string code, std::string message);

  const program what_;
  const when_error_line error_line_;
  const std::shared_ptr<processes> on_;
  std::mutex mutex_; // guards the rest
  std::uint64_t last_id_ = 0;
  std::deque<question> waiting_;
  std::optional<question> open_;
  std::shared_ptr<line_program> program_;
  std::uint64_t run_ = 0; ///< counts the program's starts
  /// One timer for all questions, which is not moved when one is answered: that
  /// would wake the loop each time. When it is time, it is set anew if need be.
  clock::time_point timer_at_ = clock::time_point::max();
  std::uint64_t timer_ = 0; ///< counts them; earlier ones do nothing
};

} // namespace convene::host
