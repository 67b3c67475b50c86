#pragma once

#include <convene/runtime/outside/processes/child_input.hpp>
#include <convene/runtime/outside/processes/event_loop.hpp>
#include <convene/runtime/outside/processes/lines.hpp>
#include <convene/runtime/outside/processes/program.hpp>
#include <convene/runtime/outside/processes/spawn.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// What a child tells its owner, on the loop's thread.
struct child_events {
  std::function<void(std::string_view)> output; ///< bytes as they come
  when_error_line error_line;                   ///< may be empty
  std::function<void(program_end)> ended;       ///< once, and last
};

/// One program with its supervisor, on an event loop; called on its thread
/// alone. Keeps itself alive from `start` until it has called `ended`.
class child : public std::enable_shared_from_this<child> {
public:
  /// Bytes may be written to `input` before it is started. Those who write
  /// later, on any thread, have `flush_input` called where that is needed.
  child(event_loop& loop, program what, std::shared_ptr<child_input> input,
        child_events events);

  void start();

  void flush_input();
  /// Closes standard input as soon as all is written.
  void close_input();

  /// Ends the program and all of its descendants: SIGTERM now, SIGKILL after
  /// the grace time, even if the supervisor has been stopped and does nothing.
  /// The first reason is the one that is told.
  void stop(protocol::action_status why, std::string code, std::string message);

  /// Tells the end without waiting for it any longer; the supervisor goes on.
  void give_up();

  [[nodiscard]] const program& what() const noexcept {
    return what_;
  }

private:
  static constexpr std::size_t error_line_bytes_max = 4096;
  /// Read beyond what is shown, so that keys at the cut are mostly seen whole.
  static constexpr std::size_t beyond_bytes = 8192;

  void read_output();
  void read_errors();
  void take_errors(std::string_view bytes);
  [[nodiscard]] std::string take_last_errors();
  void mask(std::string& text) const;
  /// How many bytes of a secret may be left at a cut.
  [[nodiscard]] std::size_t part_of_secret() const;
  void tell_error_line(std::string line, bool is_cut);
  void tell_dropped_lines();
  void read_reports();
  void end_by_force();
  void open_door(descriptor listener);
  void drain();
  void finish();
  [[nodiscard]] program_end make_end();
  void describe_status(program_end& into) const;

  event_loop& loop_;
  program what_;
  const std::shared_ptr<child_input> input_;
  child_events events_;
  spawned files_;
  event_loop::watch_id control_watch_ = 0;
  event_loop::watch_id input_watch_ = 0;
  event_loop::watch_id output_watch_ = 0;
  event_loop::watch_id errors_watch_ = 0;
  std::optional<event_loop::timer_id> deadline_;
  std::optional<event_loop::timer_id> force_; ///< if it does not end when told
  line_splitter error_lines_;
  line_rate error_rate_;
  std::string last_errors_;
  std::optional<program_end> reason_; ///< why it was ended
  std::optional<std::int32_t> status_;
  bool is_over_ = false;
  std::shared_ptr<void> door_; ///< of the program's network
  std::shared_ptr<child> self_;
};

} // namespace convene::host
