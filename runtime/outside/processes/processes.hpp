#pragma once

#include <convene/runtime/outside/processes/program.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace convene::host {

/// What a program that is read line by line tells, on the loop's thread. Must
/// not block or throw.
struct line_events {
  std::function<void(std::string)> line;  ///< of standard output, without end
  when_error_line error_line;             ///< may be empty
  std::function<void(program_end)> ended; ///< once, and last
};

class child_input;
struct processes_state;

/// A program that runs until it is stopped, spoken to in lines. Thread-safe; it
/// is stopped when this goes, at once unless `stop` was called before.
class line_program {
public:
  /// The most bytes that may wait to be read by the program. One that would let
  /// more wait is ended: `input_bytes_max`.
  static constexpr std::size_t waiting_bytes_max = std::size_t{64} << 20;

  line_program(std::shared_ptr<processes_state> state, std::uint64_t id,
               std::shared_ptr<child_input> input);
  line_program(const line_program&) = delete;
  line_program& operator=(const line_program&) = delete;
  ~line_program();

  /// Sends a line; its end is added. It is written at once, on the calling
  /// thread, as far as the program's pipe has room. False: it is too much, with
  /// what waits already, or has a line end inside; nothing is sent. What is
  /// sent to a program that has ended is dropped; `ended` tells that.
  [[nodiscard]] bool send(std::string_view line);

  /// Closes its standard input, gives it `close_ms` to end by itself, then ends
  /// it and all of its descendants by SIGTERM, and by SIGKILL after the grace
  /// time.
  void stop(std::int64_t close_ms = 0);

private:
  std::shared_ptr<processes_state> state_;
  std::uint64_t id_;
  std::shared_ptr<child_input> input_;
  std::atomic<bool> is_stopped_ = false;
};

/// Runs programs, all on one thread of its own. Each of them has a supervisor
/// between it and convene, which ends it with all of its descendants, also
/// those that have left its session, when it is to end, and when convene is no
/// longer there, whatever the reason. Thread-safe.
class processes {
public:
  /// Throws std::system_error if the system has no thread or file left.
  explicit processes(std::size_t programs_max = 1024);
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;

  /// As `end`; but on the loop's own thread, where the last one to let go may
  /// be a callback, it does not wait.
  ~processes();

  /// Ends all programs, except that those whose input was closed by `stop` keep
  /// the time that it gave them, and waits until they are gone and have been
  /// told. What is asked for later is dropped, and nobody is called. To be
  /// called by the owner, not by callbacks.
  void end();

  /// Runs a program to its end: writes `input` to its standard input and closes
  /// it, collects its standard output. `then` is called once, on the loop's
  /// thread, when all of the program's processes are gone; must not block or
  /// throw. Returns a function that ends it (status cancelled), callable on any
  /// thread, at any time.
  std::function<void()> run_once(program what, std::string input,
                                 when_error_line error_line,
                                 std::function<void(program_result)> then);

  /// Starts a program that is spoken to in lines. A line that is too long ends
  /// it. `ended` is called even if it cannot be started.
  [[nodiscard]] std::shared_ptr<line_program> start(program what,
                                                    line_events events);

  /// Runs a job on the loop's thread, in order; it must not block or throw.
  void post(std::function<void()> job);

  /// Calls `then` on the loop's thread after this time, unless the function
  /// that is returned is called before, on any thread.
  std::function<void()> after(std::int64_t time_ms, std::function<void()> then);

private:
  std::shared_ptr<processes_state> state_;
  std::thread thread_;
};

} // namespace convene::host
