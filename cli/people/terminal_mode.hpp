#pragma once

#include <convene/cli/people/line_editor.hpp>

#include <string_view>

namespace convene::cli {

/// While it lives, a terminal delivers each key, echoes none and marks pastes;
/// signals are still made of Ctrl-C, Ctrl-Z and Ctrl-\. In its line mode the
/// kernel cuts lines after 4,095 bytes. The terminal is as it was before while
/// the process is stopped, and after it has ended, by any signal that can be
/// caught. In the background nothing is changed until the process comes to the
/// foreground. One at a time in a process.
class terminal_mode {
public:
  /// `input`: a terminal, or anything else, to which nothing is done. `wake`:
  /// an eventfd, written when the process continues; -1: none.
  terminal_mode(int input, int wake);
  ~terminal_mode();
  terminal_mode(const terminal_mode&) = delete;
  terminal_mode& operator=(const terminal_mode&) = delete;

  /// What its settings say.
  [[nodiscard]] static line_editor::keys keys_of(int input);

  /// Writes to the terminal what it would otherwise echo by itself.
  static void show(std::string_view text);

  /// Whether the process was stopped since this was asked.
  [[nodiscard]] static bool has_continued() noexcept;

private:
  bool is_first_ = false;
};

} // namespace convene::cli
