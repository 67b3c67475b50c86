#pragma once

#include <convene/cli/view/timeline.hpp>

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

/// A line on standard error that is written over by the next one; nothing
/// where that is no terminal.
class progress_line {
public:
  explicit progress_line(bool wanted);

  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Wipes the line.
  ~progress_line();

  void show(std::string_view text);

private:
  bool on_ = false;
};

} // namespace convene::cli
