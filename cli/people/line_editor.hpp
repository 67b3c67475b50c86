#pragma once

#include <convene/cli/people/typed_lines.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace convene::cli {

/// Makes lines of the keys that a person presses at a terminal which delivers
/// each of them, and shows the line as it grows. A paste that the terminal
/// marks (bracketed paste) is part of one line, with the line ends in it as
/// "\n", however long it is. Sequences of other keys, such as arrows, are left
/// out. What is shown is safe for a terminal; the line itself is as typed,
/// without a byte order mark in front.
class line_editor {
public:
  /// The characters that a terminal's settings give a meaning; 0: none has it.
  struct keys {
    char erase = '\x7f';
    char erase_word = '\x17';
    char erase_line = '\x15';
    char show_again = '\x12';
    char end = '\x04'; ///< of the input, if the line is empty
  };

  /// `bytes_max`: of a line.
  line_editor(std::size_t bytes_max,
              std::function<void(std::string_view)> show);

  void use(keys meaning) noexcept {
    keys_ = meaning;
  }

  /// Begins a line behind `prompt`, which is on the terminal already.
  void begin(std::string_view prompt) {
    prompt_ = prompt;
  }

  void feed(std::string_view bytes) {
    pending_ += bytes;
  }
  [[nodiscard]] typed_lines::found cut(std::string& line);

  /// The input has ended; an unfinished line is dropped.
  void end() noexcept {
    at_end_ = true;
  }
  [[nodiscard]] bool at_end() const noexcept {
    return at_end_;
  }

  /// Forgets all that was fed. True if there was anything.
  bool discard() noexcept;

  /// Shows the prompt and the line's last row again, on a row of their own.
  void show_again();

private:
  [[nodiscard]] std::size_t take(std::string_view rest,
                                 typed_lines::found& what);
  [[nodiscard]] std::size_t take_text(std::string_view rest);
  [[nodiscard]] std::size_t take_sequence(std::string_view rest);
  [[nodiscard]] std::size_t take_paste(std::string_view rest);
  [[nodiscard]] std::size_t skip_paste(std::string_view rest);
  [[nodiscard]] bool is_key(char c) const noexcept;
  void press(char key);
  bool add(std::string_view text);
  void erase();
  void erase_word();
  void erase_line();

  std::size_t bytes_max_;
  std::function<void(std::string_view)> show_;
  keys keys_;
  std::string prompt_;
  std::string line_;
  std::string pending_;      ///< not yet part of the line
  std::size_t searched_ = 0; ///< of a pending paste: has no end before
  bool is_skipping_ = false; ///< a paste that is too long
  bool is_too_long_ = false; ///< the line, which is forgotten
  bool is_partly_shown_ = false;
  bool at_end_ = false;
};

} // namespace convene::cli
