#include <convene/runtime/data/scenario/locate.hpp>

#include <algorithm>

namespace convene::host {
namespace {

/// Walks over a valid text. At its end `peek` is 0, which ends every loop.
class cursor {
public:
  explicit cursor(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] std::size_t position() const noexcept {
    return at_;
  }

  [[nodiscard]] char peek() const noexcept {
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void next() noexcept {
    if (at_ < text_.size())
      ++at_;
  }

  /// Passes white space and comments.
  void skip_space() noexcept {
    for (;;) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        next();
      else if (c != '/' || !skip_comment())
        return;
    }
  }

  /// Passes a string; returns what is between its quotes, as it stands there.
  std::string_view skip_string() noexcept {
    next();
    const auto from = at_;
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\')
        next();
      next();
    }
    const auto content = text_.substr(from, at_ - from);
    next();
    return content;
  }

  /// Passes one value, whatever is in it.
  void skip_value() noexcept {
    for (std::size_t depth = 0; at_ < text_.size();) {
      skip_space();
      const char c = peek();
      if (depth == 0 && (c == ',' || c == ']' || c == '}'))
        return;
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      next();
    }
  }

private:
  bool skip_comment() noexcept {
    const auto rest = text_.substr(at_);
    std::size_t end = std::string_view::npos;
    if (rest.starts_with("//"))
      end = rest.find('\n');
    else if (rest.starts_with("/*"))
      end = rest.find("*/", 2) == end ? end : rest.find("*/", 2) + 2;
    else
      return false;
    at_ = end == std::string_view::npos ? text_.size() : at_ + end;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Whether a part of a JSON pointer names this member. Names that are written
/// with escapes in the text are not found.
bool names(std::string_view part, std::string_view name) noexcept {
  while (!part.empty() && !name.empty()) {
    char c = part.front();
    part.remove_prefix(1);
    if (c == '~' && !part.empty()) {
      c = part.front() == '0' ? '~' : '/';
      part.remove_prefix(1);
    }
    if (c != name.front())
      return false;
    name.remove_prefix(1);
  }
  return part.empty() && name.empty();
}

/// Enters the object or array at the cursor and stops at the value that
/// `part` names, if it is there.
bool descend(cursor& at, std::string_view part) noexcept {
  const bool object = at.peek() == '{';
  if (!object && at.peek() != '[')
    return false;
  at.next();
  std::size_t wanted = 0;
  for (const char c : part)
    wanted = wanted * 10 + static_cast<std::size_t>(c - '0');
  for (std::size_t index = 0;; ++index) {
    at.skip_space();
    if (at.peek() == '\0' || at.peek() == '}' || at.peek() == ']')
      return false;
    bool found = index == wanted;
    if (object) {
      found = names(part, at.skip_string());
      at.skip_space();
      at.next(); // the colon
      at.skip_space();
    }
    if (found)
      return true;
    at.skip_value();
    if (at.peek() == ',')
      at.next();
  }
}

} // namespace

text_place locate(std::string_view text, std::string_view pointer) noexcept {
  cursor at{text};
  if (text.starts_with("\xef\xbb\xbf"))
    for (int i = 0; i < 3; ++i)
      at.next();
  at.skip_space();
  auto best = at.position();
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const auto part = pointer.substr(0, pointer.find('/'));
    if (!descend(at, part))
      break;
    best = at.position();
    pointer.remove_prefix(part.size());
  }
  const auto before = text.substr(0, best);
  const auto line_start = before.rfind('\n') + 1; // none: npos + 1 is 0
  return {.line = 1
                  + static_cast<std::size_t>(
                    std::count(before.begin(), before.end(), '\n')),
          .column = best - line_start + 1};
}

protocol::error in_text(protocol::error what, std::string_view text) {
  if (what.line == 0) {
    const auto [line, column] = locate(text, what.pointer);
    what.line = line;
    what.column = column;
  }
  return what;
}

} // namespace convene::host
