#include <convene/cli/people/terminal_mode.hpp>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace convene::cli {
namespace {

constexpr std::string_view ask_for_marks = "\x1b[?2004h";
constexpr std::string_view ask_for_no_marks = "\x1b[?2004l";

/// What handlers of signals read. Written only while none is installed.
struct terminal_in_use {
  int input = -1;
  int output = -1;
  int wake = -1;
  pid_t owner = 0;     ///< a child that runs no other program has handlers, too
  bool echoes = false; ///< before
  bool marks = false;
  termios before{};
  termios during{};
};

terminal_in_use in_use;
std::atomic<bool> is_changed{false};
std::atomic<bool> was_continued{false};

constexpr std::array fatal{SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                           SIGABRT, SIGSEGV, SIGBUS};

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto written = ::write(in_use.output, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return;
  }
}

/// Settings may be changed only in the foreground. Without job control there is
/// only one job.
bool is_in_foreground() noexcept {
  const auto group = ::tcgetpgrp(in_use.input);
  return group == -1 || group == ::getpgrp();
}

// These are called by handlers, too.

void change() noexcept {
  if (!is_in_foreground() || is_changed
      || ::tcsetattr(in_use.input, TCSANOW, &in_use.during) != 0)
    return;
  is_changed = true;
  if (in_use.marks)
    write_all(ask_for_marks);
}

void restore() noexcept {
  if (::getpid() != in_use.owner || !is_changed.exchange(false)
      || !is_in_foreground())
    return;
  if (in_use.marks)
    write_all(ask_for_no_marks);
  ::tcsetattr(in_use.input, TCSANOW, &in_use.before);
}

/// Restores the terminal, then does what the signal would have done.
void end_by(int signal) {
  restore();
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
  ::raise(signal); // once this handler is left
}

void stop_by(int signal) {
  const int before = errno;
  restore();
  struct sigaction handler {};
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, &handler);
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &stops, nullptr); // here it stops
  ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  ::sigaction(signal, &handler, nullptr);
  errno = before;
}

void continue_by(int /*signal*/) {
  const int before = errno;
  if (::getpid() == in_use.owner) {
    change();
    was_continued = true;
    ::eventfd_write(in_use.wake, 1);
  }
  errno = before;
}

/// Instead of what is done by default; other handlers, and what is ignored,
/// stay.
void handle(int signal, void (*by)(int)) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
    return;
  struct sigaction handler {};
  handler.sa_handler = by;
  handler.sa_flags = SA_RESTART;
  sigemptyset(&handler.sa_mask);
  ::sigaction(signal, &handler, nullptr);
}

void handle_no_more(int signal, void (*by)(int)) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != by)
    return;
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
}

/// Where to show what is typed: the terminal, for writing; -1: nowhere.
int output_of(int input) {
  const int flags = ::fcntl(input, F_GETFL);
  if (flags != -1 && (flags & O_ACCMODE) != O_RDONLY)
    return ::fcntl(input, F_DUPFD_CLOEXEC, 0);
  std::array<char, 256> name{};
  if (::ttyname_r(input, name.data(), name.size()) != 0)
    return -1;
  return ::open(name.data(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

bool knows_marks() {
  const char* kind = std::getenv("TERM"); // NOLINT(concurrency-mt-unsafe)
  return kind != nullptr && *kind != '\0' && kind != std::string_view{"dumb"};
}

} // namespace

terminal_mode::terminal_mode(int input, int wake) {
  termios before{};
  if (::tcgetattr(input, &before) != 0 || in_use.owner != 0)
    return;
  const int output = output_of(input);
  if (output == -1)
    return;
  static const bool will_be_restored = std::at_quick_exit(restore) == 0;
  static_cast<void>(will_be_restored);
  in_use = {.input = input,
            .output = output,
            .wake = wake,
            .owner = ::getpid(),
            .echoes = (before.c_lflag & ECHO) != 0,
            .marks = knows_marks(),
            .before = before,
            .during = before};
  is_first_ = true;
  was_continued = false;
  in_use.during.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  in_use.during.c_cc[VMIN] = 1;
  in_use.during.c_cc[VTIME] = 0;
  for (const int signal : fatal)
    handle(signal, end_by);
  handle(SIGTSTP, stop_by);
  handle(SIGCONT, continue_by);
  change();
}

terminal_mode::~terminal_mode() {
  if (!is_first_)
    return;
  handle_no_more(SIGCONT, continue_by);
  restore();
  handle_no_more(SIGTSTP, stop_by);
  for (const int signal : fatal)
    handle_no_more(signal, end_by);
  ::close(in_use.output);
  in_use = {};
}

line_editor::keys terminal_mode::keys_of(int input) {
  termios now{};
  if (::tcgetattr(input, &now) != 0)
    return {};
  const auto at = [&now](int which) {
    return static_cast<char>(now.c_cc[which]);
  };
  return {at(VERASE), at(VWERASE), at(VKILL), at(VREPRINT), at(VEOF)};
}

void terminal_mode::show(std::string_view text) {
  if (is_changed && in_use.echoes)
    write_all(text);
}

bool terminal_mode::has_continued() noexcept {
  return was_continued.exchange(false);
}

} // namespace convene::cli
