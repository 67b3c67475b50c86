#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Thoughts that a server leaves in the text of an answer, in tags such as
// <think> and </think>; for sources in this folder only.

namespace convene::host {

/// Separates what a model says from what it thinks, as the text arrives.
///
/// A thought is
/// - a block at the beginning, also one that is never closed;
/// - after such a block, any other one outside of quotes and code;
/// - in an answer that begins otherwise, a closed block that begins a line;
/// - all text before a closing tag that no opening tag belongs to and that
///   stands at the end or the beginning of a line: templates may send the
///   opening tag with the prompt.
/// Other tags are text: the model speaks of them.
class thought_filter {
public:
  /// Takes a piece of text, cut anywhere. The part of it that is said for sure;
  /// what turns out to have been a thought later may be in it.
  [[nodiscard]] std::string feed(std::string_view piece);

  /// After the last piece: all that is said. Call it once.
  [[nodiscard]] std::string finish() &&;

private:
  struct tag_pair;
  struct found_tag;

  [[nodiscard]] static found_tag find_tag(std::string_view text);
  void advance(bool at_end);
  /// Takes what is at `at` of `held_`; the bytes taken, 0: more are needed.
  std::size_t take_thought(std::size_t at);
  std::size_t take_text(std::size_t at, bool at_end);
  [[nodiscard]] bool opens_thought();
  void begin_thought(const tag_pair& which);
  void say(char c);
  void settle_ticks();

  std::string held_; ///< not decided yet
  std::string said_;
  std::size_t passed_on_ = 0;        ///< of `said_`
  std::size_t searched_ = 0;         ///< of `held_`, for the closing tag
  const tag_pair* inside_ = nullptr; ///< of a thought
  bool is_sure_ = false;             ///< that the open block is a thought
  bool thinks_in_tags_ = false;      ///< the answer began with a thought
  bool speaks_of_tags_ = false;      ///< an opening tag was text
  bool skips_blanks_ = false;        ///< after a thought
  std::size_t ticks_ = 0;            ///< backticks just said
  bool ticks_begin_line_ = false;
  bool line_is_blank_ = true; ///< so far
  bool in_code_ = false;
  bool in_fence_ = false;
};

} // namespace convene::host
