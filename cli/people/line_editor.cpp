#include <convene/cli/people/line_editor.hpp>
#include <convene/cli/people/pasted_text.hpp>
#include <convene/cli/people/shown_text.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t sequence_bytes_max = 32;
constexpr std::size_t row_shown_max = 1024; // bytes, when it is shown again

bool continues_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80;
}

/// How many bytes at the end of `text` are the beginning of a character.
std::size_t begun_character(std::string_view text) noexcept {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(3, text.size());
       ++bytes) {
    const char c = text[text.size() - bytes];
    if (continues_character(c))
      continue;
    const auto lead = static_cast<unsigned char>(c);
    const std::size_t whole = lead < 0xc0   ? 1
                              : lead < 0xe0 ? 2
                              : lead < 0xf0 ? 3
                                            : 4;
    return whole > bytes ? bytes : 0;
  }
  return 0;
}

/// Takes the last character off; returns how many columns it took.
std::size_t pop_character(std::string& line) {
  auto at = line.size() - 1;
  while (at > 0 && line.size() - at < 4 && continues_character(line[at]))
    --at;
  const auto columns = width(neutral(std::string_view{line}.substr(at)));
  line.erase(at);
  return columns;
}

std::string wiped(std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i)
    text += "\b \b";
  return text;
}

} // namespace

line_editor::line_editor(std::size_t bytes_max,
                         std::function<void(std::string_view)> show)
  : bytes_max_{bytes_max}, show_{std::move(show)} {}

typed_lines::found line_editor::cut(std::string& line) {
  auto what = typed_lines::found::none;
  std::size_t used = 0;
  while (what == typed_lines::found::none && !at_end_
         && used < pending_.size()) {
    const auto taken = take(std::string_view{pending_}.substr(used), what);
    if (taken == 0) // the rest of it is still to come
      break;
    used += taken;
  }
  pending_.erase(0, used);
  if (what == typed_lines::found::none)
    return what;
  is_too_long_ = is_partly_shown_ = false;
  if (line_.starts_with(byte_order_mark))
    line_.erase(0, byte_order_mark.size());
  line = std::exchange(line_, {});
  return what;
}

bool line_editor::discard() noexcept {
  const bool had_any = !pending_.empty() || !line_.empty();
  pending_.clear();
  line_.clear();
  searched_ = 0;
  is_skipping_ = is_too_long_ = is_partly_shown_ = false;
  return had_any;
}

void line_editor::show_again() {
  auto row = std::string_view{line_}.substr(line_.rfind('\n') + 1);
  std::string_view cut;
  if (row.size() > row_shown_max) {
    row.remove_prefix(row.size() - row_shown_max);
    cut = "...";
  }
  show_(fmt::format("\n{}{}{}", prompt_, cut, neutral(row)));
}

/// Takes the first key, text or paste off; returns its bytes, 0 if more of it
/// is still to come.
std::size_t line_editor::take(std::string_view rest, typed_lines::found& what) {
  if (is_skipping_)
    return skip_paste(rest);
  const char c = rest.front();
  if (c == escape)
    return take_sequence(rest);
  if (c == '\n' || c == '\r') {
    what = is_too_long_ ? typed_lines::found::too_long
                        : typed_lines::found::line;
    show_("\n");
    return 1;
  }
  if (is_key(c)) {
    press(c);
    return 1;
  }
  return take_text(rest);
}

std::size_t line_editor::take_text(std::string_view rest) {
  const auto ends = std::ranges::find_if(rest, [this](char c) {
    return c == escape || c == '\n' || c == '\r' || is_key(c);
  });
  auto text = rest.substr(0, static_cast<std::size_t>(ends - rest.begin()));
  if (text.size() == rest.size())
    text.remove_suffix(begun_character(text));
  if (add(text))
    show_(neutral(text));
  return text.size();
}

std::size_t line_editor::take_sequence(std::string_view rest) {
  if (rest.size() == 1)
    return 0;
  if (rest[1] == 'O') // a key of the keypad
    return rest.size() < 3 ? 0 : 3;
  if (rest[1] != '[')
    return 1;
  const auto ends = std::ranges::find_if(rest.substr(2), [](char c) {
    return c < ' ' || c > '?';
  });
  const auto before = static_cast<std::size_t>(ends - rest.begin());
  if (before > sequence_bytes_max || before == rest.size())
    return before > sequence_bytes_max ? before : 0;
  const auto sequence = rest.substr(0, before + 1);
  if (sequence == paste_begins)
    return take_paste(rest);
  if (sequence == paste_ends) // of a paste whose beginning was discarded
    erase_line();
  return *ends < '@' ? before : before + 1;
}

std::size_t line_editor::take_paste(std::string_view rest) {
  const auto ends = rest.find(paste_ends,
                              std::max(searched_, paste_begins.size()));
  if (ends == rest.npos && rest.size() <= bytes_max_ + paste_begins.size()) {
    searched_ = rest.size() - std::min(rest.size(), paste_ends.size());
    return 0;
  }
  searched_ = 0;
  if (ends == rest.npos) {
    is_skipping_ = is_too_long_ = true;
    line_.clear();
    return skip_paste(rest);
  }
  const auto text
    = pasted_text(rest.substr(paste_begins.size(), ends - paste_begins.size()));
  if (add(text)) {
    auto shown = indented(text + '\n', "");
    shown.pop_back(); // more of the line may follow
    if (shown.ends_with("\n...")) {
      is_partly_shown_ = true;
      shown += fmt::format(" ({} bytes pasted)", text.size());
    }
    show_(shown);
  }
  return ends + paste_ends.size();
}

std::size_t line_editor::skip_paste(std::string_view rest) {
  const auto ends = rest.find(paste_ends);
  is_skipping_ = ends == rest.npos;
  return is_skipping_
           ? rest.size() - std::min(rest.size(), paste_ends.size() - 1)
           : ends + paste_ends.size();
}

/// Whether it is a control key; a tab is text.
bool line_editor::is_key(char c) const noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t') || c == '\x7f' || c == keys_.erase
         || c == keys_.erase_word || c == keys_.erase_line
         || c == keys_.show_again || c == keys_.end;
}

void line_editor::press(char key) {
  if (key == '\0')
    return;
  if (key == keys_.erase || key == '\x7f' || key == '\b')
    erase();
  else if (key == keys_.erase_word)
    erase_word();
  else if (key == keys_.erase_line)
    erase_line();
  else if (key == keys_.show_again)
    show_again();
  else if (key == keys_.end && line_.empty() && !is_too_long_)
    at_end_ = true;
}

/// False: the line is too long now.
bool line_editor::add(std::string_view text) {
  if (is_too_long_ || text.size() > bytes_max_ - line_.size()) {
    is_too_long_ = true;
    line_.clear();
    return false;
  }
  line_ += text;
  return true;
}

/// The last character, with the marks that stand on it.
void line_editor::erase() {
  std::size_t columns = 0;
  while (!line_.empty() && columns == 0) {
    if (line_.back() == '\n' || is_partly_shown_) {
      static_cast<void>(pop_character(line_));
      return show_again();
    }
    columns = pop_character(line_);
  }
  show_(wiped(columns));
}

void line_editor::erase_word() {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  if (line_.ends_with('\n'))
    return erase();
  std::size_t columns = 0;
  while (!line_.empty() && is_space(line_.back()))
    columns += pop_character(line_);
  while (!line_.empty() && !is_space(line_.back()) && line_.back() != '\n')
    columns += pop_character(line_);
  if (is_partly_shown_)
    return show_again();
  show_(wiped(columns));
}

void line_editor::erase_line() {
  constexpr std::size_t columns_max = 60; // those before may be in another row
  const bool is_plain = line_.find('\n') == line_.npos && !is_partly_shown_;
  const auto columns = is_plain ? width(neutral(line_)) : columns_max + 1;
  line_.clear();
  is_too_long_ = is_partly_shown_ = false;
  if (columns <= columns_max)
    return show_(wiped(columns));
  show_again();
}

} // namespace convene::cli
