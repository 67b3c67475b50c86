#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::cli {

/// Cuts what is piped in into lines without their ends. A byte order mark at a
/// line's beginning is left out. What is marked as pasted (bracketed paste) is
/// part of one line, with the line ends in it as "\n". Everything else stays
/// unchanged.
class typed_lines {
public:
  /// `bytes_max`: of a line.
  explicit typed_lines(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  void feed(std::string_view bytes);
  /// Nothing more will come: what is left is a line, too.
  void end() noexcept {
    at_end_ = true;
  }

  enum class found : std::uint8_t {
    none, ///< so far, or for good after `end`
    line,
    too_long ///< a line that is left out
  };
  [[nodiscard]] found cut(std::string& line);

  [[nodiscard]] bool at_end() const noexcept {
    return at_end_;
  }

  [[nodiscard]] bool is_empty() const noexcept {
    return buffer_.empty();
  }
  /// Holds as much as one line may have, or more.
  [[nodiscard]] bool is_full() const noexcept {
    return buffer_.size() >= bytes_max_;
  }

  /// Forgets the line that has begun, and the rest of it that is to come.
  void drop_begun();

private:
  [[nodiscard]] std::size_t find_end();
  [[nodiscard]] bool skip();
  void take_off(std::size_t end);

  std::size_t bytes_max_;
  std::string buffer_;
  std::size_t scanned_ = 0; ///< has no line end before
  bool is_pasting_ = false; ///< at `scanned_`
  bool is_skipping_ = false;
  bool at_end_ = false;
};

/// Discards what was typed at a terminal and not read, with the rest of a paste
/// that is still arriving, for a second at most. `is_arriving`: something was
/// just read and discarded. True if there was anything. Of a pipe, nothing:
/// answers can be piped in before they are asked for.
bool discard_typed(int input, bool is_arriving = false);

} // namespace convene::cli
