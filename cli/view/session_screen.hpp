#pragma once

#include <convene/cli/view/arriving_text.hpp>
#include <convene/cli/view/timeline.hpp>
#include <convene/cli/view/who_works.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace convene::cli {

/// How sessions are shown while they run.
struct screen_style {
  timeline_style rows;
  /// What models say is shown as it arrives.
  bool text = false;
  /// Below the rows are lines that change: who says what, and who has been at
  /// work for how long. For a terminal.
  bool changes = false;
};

/// What people see of sessions that run: their timelines, with what models say
/// in between, and at a terminal the lines that change. Thread-safe.
class session_screen {
public:
  using clock = who_works::clock;

  /// All that is shown goes through `write`, one call at a time. `columns` asks
  /// how wide the lines that change may be at the moment.
  session_screen(screen_style how, std::function<void(std::string_view)> write,
                 std::function<std::size_t()> columns);

  session_screen(const session_screen&) = delete;
  session_screen& operator=(const session_screen&) = delete;

  /// Events of a session, each with its line end.
  void see(const std::string& session, std::string_view lines,
           clock::time_point now = clock::now());

  /// What somebody says. Never waits for what is written.
  void hear(std::string_view session, std::string_view who,
            std::string_view text);

  /// Writes what has changed; to be called a few times in a second.
  void refresh(clock::time_point now = clock::now());

  /// While somebody types, no line changes, and what is said waits for the next
  /// event.
  void hold(bool somebody_types);

  /// Writes what is left and wipes the lines that change. Nothing is shown
  /// after it.
  void end();

  /// The most lines that change; others at work are counted.
  static constexpr std::size_t changing_max = 5;

private:
  struct shown {
    timeline rows;
    spoken_rows said;
    who_works works;
  };

  [[nodiscard]] std::string event_rows(shown& of,
                                       const protocol::json::object& event,
                                       clock::time_point now);
  [[nodiscard]] std::string end_row(shown& of, const std::string& who) const;
  [[nodiscard]] std::string arrived_rows();
  [[nodiscard]] std::string changing_lines(clock::time_point now) const;
  void put(const std::string& rows, clock::time_point now);

  const screen_style how_;
  const std::function<void(std::string_view)> write_;
  const std::function<std::size_t()> columns_;
  arriving_text arrived_;
  std::mutex mutex_;
  std::map<std::string, shown> sessions_; ///< guarded by mutex, like the rest
  std::string changing_;                  ///< as it is on the screen
  bool held_ = false;
  bool over_ = false;
};

} // namespace convene::cli
