#pragma once

#include <convene/cli/view/progress.hpp>
#include <convene/cli/view/timeline.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace convene::cli {

/// How to write timelines to standard output: as wide as the terminal, and in
/// colour there, unless `no_color`, NO_COLOR or a dumb terminal forbid it.
[[nodiscard]] timeline_style output_style(bool no_color, bool verbose);

/// Whether lines on standard output can be written over: it is a terminal, and
/// no dumb one.
[[nodiscard]] bool output_can_change();

/// How wide standard output is, now.
[[nodiscard]] std::size_t output_columns();

/// Wipes the progress line if one is drawn: before other text on the terminal.
void wipe_progress();

/// A line on standard error that is written over by the next one: nothing for
/// the first second, then at most ten times a second. Writes nothing where
/// standard error is not a terminal, or a dumb one. One thread at a time.
class progress_line {
public:
  explicit progress_line(bool wanted);

  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Wipes the line.
  ~progress_line();

  void show(const progress& now);

  /// Begins with another count: rate and time left are those of `show` since.
  void restart() noexcept;

private:
  using clock = std::chrono::steady_clock;

  bool on_ = false;
  clock::time_point began_;
  clock::time_point next_; ///< when the line may be drawn
};

} // namespace convene::cli
