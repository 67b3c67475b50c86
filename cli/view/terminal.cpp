#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace convene::cli {
namespace {

constexpr std::size_t columns_default = 120;

std::size_t columns_of(int file) {
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return columns_default;
  return size.ws_col;
}

std::string_view environment(const char* name) {
  const char* text = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? std::string_view{} : text;
}

std::atomic<bool> progress_drawn = false;

void write_over(std::string_view text) {
  const auto line = "\r\x1b[K" + std::string{text};
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace

void wipe_progress() {
  if (progress_drawn.exchange(false))
    write_over({});
}

timeline_style output_style(bool no_color, bool verbose) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool colour = terminal && !no_color && environment("NO_COLOR").empty()
                      && environment("TERM") != "dumb";
  return {.colour = colour,
          .columns = terminal ? columns_of(STDOUT_FILENO) : columns_default,
          .verbose = verbose,
          .whole_errors = verbose || !terminal};
}

bool output_can_change() {
  return ::isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb";
}

std::size_t output_columns() {
  return columns_of(STDOUT_FILENO);
}

progress_line::progress_line(bool wanted)
  : on_(wanted && ::isatty(STDERR_FILENO) == 1
        && environment("TERM") != "dumb"),
    began_(clock::now()), next_(began_ + std::chrono::seconds{1}) {}

progress_line::~progress_line() {
  wipe_progress();
}

void progress_line::show(const progress& now) {
  constexpr std::chrono::milliseconds between{100};
  if (!on_)
    return;
  const auto time = clock::now();
  if (time < next_)
    return;
  next_ = time + between;
  progress_drawn = true;
  write_over(
    fit(progress_text(now, time - began_), columns_of(STDERR_FILENO) - 1));
}

void progress_line::restart() noexcept {
  began_ = clock::now();
}

} // namespace convene::cli
