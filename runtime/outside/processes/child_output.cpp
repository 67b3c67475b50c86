// What a program writes: its output, and the lines of its standard error.

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/processes/child.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace convene::host {
namespace {

/// Kept of standard error for messages.
constexpr std::size_t last_errors_bytes = 2048;
/// Read at a time, so that no program keeps the loop from the others.
constexpr std::size_t read_bytes = std::size_t{64} << 10;
/// Read at most after the end: more than any pipe holds.
constexpr std::size_t drained_bytes_max = std::size_t{2} << 20;

/// What the program has written, or nothing: then there is nothing now, or
/// `at_end`.
std::string_view read_some(int file, std::array<char, read_bytes>& into,
                           bool& at_end) {
  ssize_t got = 0;
  do
    got = read(file, into.data(), into.size());
  while (got < 0 && errno == EINTR);
  at_end = got == 0 || (got < 0 && errno != EAGAIN);
  return {into.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// For one thread: that of the loop.
std::array<char, read_bytes>& read_buffer() {
  thread_local std::array<char, read_bytes> buffer;
  return buffer;
}

} // namespace

void child::read_output() {
  bool at_end = false;
  const auto bytes = read_some(files_.output.get(), read_buffer(), at_end);
  if (at_end)
    loop_.forget(std::exchange(output_watch_, 0));
  if (!bytes.empty())
    events_.output(bytes);
}

void child::read_errors() {
  bool at_end = false;
  const auto bytes = read_some(files_.errors.get(), read_buffer(), at_end);
  if (at_end)
    loop_.forget(std::exchange(errors_watch_, 0));
  take_errors(bytes);
}

void child::take_errors(std::string_view bytes) {
  constexpr auto most = last_errors_bytes + beyond_bytes;
  const auto kept = bytes.substr(bytes.size() - std::min(bytes.size(), most));
  last_errors_ += kept;
  if (last_errors_.size() > most)
    last_errors_.erase(0, last_errors_.size() - most);
  error_lines_.feed(bytes, [this](std::string line, bool is_cut) {
    tell_error_line(std::move(line), is_cut);
  });
}

std::string child::take_last_errors() {
  auto last = std::exchange(last_errors_, {});
  const bool is_cut = last.size() == last_errors_bytes + beyond_bytes;
  mask(last);
  if (is_cut)
    last.erase(0, part_of_secret());
  if (last.size() > last_errors_bytes)
    last.erase(0, last.size() - last_errors_bytes);
  return protocol::sanitize_utf8(std::move(last));
}

void child::mask(std::string& text) const {
  if (what_.secrets)
    what_.secrets->mask(text);
}

std::size_t child::part_of_secret() const {
  return what_.longest_secret - std::min(what_.longest_secret, std::size_t{1});
}

void child::tell_error_line(std::string line, bool is_cut) {
  if (!events_.error_line || !error_rate_.allows(event_loop::clock::now()))
    return;
  tell_dropped_lines();
  mask(line);
  if (is_cut)
    line.resize(line.size() - std::min(line.size(), part_of_secret()));
  if (is_cut || line.size() > error_line_bytes_max) {
    line.resize(std::min(line.size(), error_line_bytes_max));
    line += " ... (cut)";
  }
  // Nothing that a terminal would take for a command.
  std::ranges::replace_if(
    line, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
  events_.error_line(protocol::sanitize_utf8(std::move(line)));
}

void child::tell_dropped_lines() {
  if (const auto dropped = error_rate_.take_dropped(); dropped > 0)
    events_.error_line("(" + std::to_string(dropped)
                       + " lines of standard error were too many)");
}

void child::drain() {
  bool at_end = false;
  std::size_t total = 0;
  while (output_watch_ != 0 && total < drained_bytes_max) {
    const auto bytes = read_some(files_.output.get(), read_buffer(), at_end);
    if (bytes.empty())
      break;
    total += bytes.size();
    events_.output(bytes);
  }
  total = 0;
  while (errors_watch_ != 0 && total < drained_bytes_max) {
    const auto bytes = read_some(files_.errors.get(), read_buffer(), at_end);
    if (bytes.empty())
      break;
    total += bytes.size();
    take_errors(bytes);
  }
  error_lines_.finish([this](std::string line, bool is_cut) {
    tell_error_line(std::move(line), is_cut);
  });
  if (events_.error_line)
    tell_dropped_lines();
}

} // namespace convene::host
