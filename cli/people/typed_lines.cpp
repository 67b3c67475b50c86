#include <convene/cli/people/pasted_text.hpp>
#include <convene/cli/people/typed_lines.hpp>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

std::string without_marks(std::string_view raw) {
  if (raw.starts_with(byte_order_mark))
    raw.remove_prefix(byte_order_mark.size());
  std::string made;
  made.reserve(raw.size());
  for (;;) {
    const auto begins = raw.find(paste_begins);
    made += raw.substr(0, begins);
    if (begins == raw.npos)
      return made;
    raw.remove_prefix(begins + paste_begins.size());
    const auto ends = raw.find(paste_ends);
    made += pasted_text(raw.substr(0, ends));
    if (ends == raw.npos)
      return made;
    raw.remove_prefix(ends + paste_ends.size());
  }
}

} // namespace

void typed_lines::feed(std::string_view bytes) {
  buffer_ += bytes;
}

/// Where the first line ends, or npos.
std::size_t typed_lines::find_end() {
  for (;;) {
    const auto mark = buffer_.find(is_pasting_ ? paste_ends : paste_begins,
                                   scanned_);
    if (!is_pasting_) {
      const auto end = buffer_.find('\n', scanned_);
      if (end < mark)
        return end;
    }
    if (mark == buffer_.npos) {
      // A mark may have begun.
      const auto looked_at = buffer_.size()
                             - std::min(buffer_.size(), paste_ends.size() - 1);
      scanned_ = std::max(scanned_, looked_at);
      return buffer_.npos;
    }
    scanned_ = mark + paste_ends.size();
    is_pasting_ = !is_pasting_;
  }
}

typed_lines::found typed_lines::cut(std::string& line) {
  if (is_skipping_ && !skip())
    return found::none;
  const auto end = find_end();
  if (std::min(end, buffer_.size()) > bytes_max_) {
    is_skipping_ = true;
    static_cast<void>(skip());
    return found::too_long;
  }
  if (end == buffer_.npos && (!at_end_ || buffer_.empty()))
    return found::none;
  line = without_marks(std::string_view{buffer_}.substr(0, end));
  take_off(end);
  return found::line;
}

/// Drops the first line. False: its end is still to come.
bool typed_lines::skip() {
  const auto end = find_end();
  if (end == buffer_.npos && !at_end_) {
    buffer_.erase(0, std::exchange(scanned_, 0)); // what follows may be a mark
    return false;
  }
  take_off(end);
  is_skipping_ = false;
  return true;
}

void typed_lines::take_off(std::size_t end) {
  buffer_.erase(0, end == buffer_.npos ? end : end + 1);
  scanned_ = 0;
  is_pasting_ = false;
}

void typed_lines::drop_begun() {
  is_skipping_ = is_skipping_ || !buffer_.empty();
}

bool discard_typed(int input, bool is_arriving) {
  constexpr int pieces_max = 20;
  constexpr int quiet_ms = 50;
  if (::isatty(input) == 0)
    return false;
  bool had_any = is_arriving;
  for (int i = 0; i < pieces_max; ++i) {
    int bytes = 0;
    if (::ioctl(input, FIONREAD, &bytes) != 0
        || (bytes <= 0 && !(i == 0 && is_arriving)))
      break;
    had_any = true;
    ::tcflush(input, TCIFLUSH);
    ::poll(nullptr, 0, quiet_ms); // the rest of a paste may be on its way
  }
  return had_any;
}

} // namespace convene::cli
