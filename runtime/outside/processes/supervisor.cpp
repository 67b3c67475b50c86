#include <convene/runtime/outside/processes/descendants.hpp>
#include <convene/runtime/outside/processes/own_network.hpp>
#include <convene/runtime/outside/processes/signal_scope.hpp>
#include <convene/runtime/outside/processes/supervisor.hpp>
#include <convene/runtime/outside/processes/supervisor_report.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

namespace convene::host {
namespace {

using kind = supervisor_report::kind;

/// Where the supervisor has its connection to convene, after 0, 1 and 2.
constexpr int control_place = 3;
/// Where the program has the filter of system calls, if it has one.
constexpr int filter_place = 4;

void tell(kind what, int value) noexcept {
  const supervisor_report report{what, value};
  send(control_place, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::int64_t now_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void close_from(int first) noexcept {
  if (syscall(SYS_close_range, first, UINT_MAX, 0) == 0)
    return;
  // A kernel before 5.9; its table of files is as large as the limit was.
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const auto end = static_cast<int>(files.rlim_max < 1 << 20 ? files.rlim_max
                                                             : 1 << 20);
  for (int i = first; i < end; ++i)
    close(i);
}

/// Moves the files to 0, 1, 2, `control_place` and `filter_place`, and closes
/// all others: above all convene's locks and its ends of other supervisors'
/// connections.
bool arrange_files(const launch& what) noexcept {
  std::array<int, 5> from{what.input, what.output, what.errors, what.control,
                          what.filter};
  const int count = what.filter < 0 ? filter_place : filter_place + 1;
  for (int i = 0; i < count; ++i) { // out of each other's way
    int& each = from[static_cast<std::size_t>(i)];
    if (each = fcntl(each, F_DUPFD, filter_place + 1); each < 0)
      return false;
  }
  for (int i = 0; i < count; ++i)
    if (dup2(from[static_cast<std::size_t>(i)], i) < 0)
      return false;
  fcntl(control_place, F_SETFD, FD_CLOEXEC);
  close_from(count);
  return true;
}

bool limit(int what, rlim_t soft, rlim_t hard) noexcept {
  if (soft == RLIM_INFINITY)
    return true;
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(what), &now);
  const rlimit wanted{soft < now.rlim_max ? soft : now.rlim_max,
                      hard < now.rlim_max ? hard : now.rlim_max};
  return setrlimit(static_cast<__rlimit_resource_t>(what), &wanted) == 0;
}

void reset_signals() noexcept {
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  for (int i = 1; i < NSIG; ++i)
    sigaction(i, &normal, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Hands the socket to convene. False: there is none, or it cannot be sent.
bool tell_listener(int listener) noexcept {
  return listener >= 0
         && send_with_file(control_place, {kind::listens, 0}, listener);
}

/// Checks the places and enters the folder; reports what fails.
bool enter_folder(const launch& what) noexcept {
  bool is_checked = false;
  for (std::size_t i = 0; i < what.places_count; ++i) {
    const auto& each = what.places[i];
    const int file = open_place(each);
    if (file < 0) {
      tell(kind::replaced, static_cast<int>(i));
      return false;
    }
    const bool is_folder = std::strcmp(each.path.c_str(), what.folder) == 0;
    const bool is_entered = is_folder && fchdir(file) == 0;
    is_checked = is_checked || is_folder;
    if (is_folder && !is_entered)
      tell(kind::no_folder, errno);
    close(file);
    if (is_folder && !is_entered)
      return false;
  }
  if (is_checked || chdir(what.folder) == 0)
    return true;
  tell(kind::no_folder, errno);
  return false;
}

/// Becomes the program.
[[noreturn]] void execute(const launch& what, pid_t supervisor) noexcept {
  // Should somebody kill the supervisor, at least the program goes, too.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor)
    _exit(127);
  setsid();
  // Else it could become somebody whom we may not end.
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  signal_own_processes_only();
  reset_signals();
  if (what.has_network && !tell_listener(make_network(what)))
    tell(kind::no_network, errno);
  else if (!enter_folder(what))
    _exit(127);
  else if (!limit(RLIMIT_CPU, what.cpu_seconds, what.cpu_seconds + 1)
           || !limit(RLIMIT_AS, what.memory_bytes, what.memory_bytes))
    tell(kind::no_limits, errno);
  else {
    execve(what.path, what.arguments, what.environment);
    tell(kind::no_execution, errno);
  }
  _exit(127);
}

/// The supervisor once the program runs.
class watch {
public:
  watch(pid_t of, int signals, std::int32_t grace_ms) noexcept
    : program_{of}, signals_{signals}, grace_ms_{grace_ms} {
    // nop
  }

  [[noreturn]] void run() noexcept {
    for (;;) {
      reap();
      if (ending_ && now_ms() >= kill_at_)
        kill_all();
      std::array<pollfd, 2> events{pollfd{signals_, POLLIN, 0},
                                   pollfd{control_place, POLLIN, 0}};
      poll(events.data(), connected_ ? 2 : 1, wait_ms());
      if (connected_ && events[1].revents != 0)
        take_orders();
      std::array<char, 16 * sizeof(signalfd_siginfo)> drained; // NOLINT
      while (read(signals_, drained.data(), drained.size()) > 0) {
        // Only that they came matters.
      }
    }
  }

private:
  [[nodiscard]] int wait_ms() const noexcept {
    if (!ending_)
      return -1;
    const auto left = kill_at_ - now_ms();
    return left <= 0 ? 0 : static_cast<int>(left < INT_MAX ? left : INT_MAX);
  }

  void take_orders() noexcept {
    supervisor_order order;
    const auto got = recv(control_place, &order, sizeof order, MSG_DONTWAIT);
    if (got == sizeof order)
      end(order.grace_ms);
    else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      connected_ = false;
      end(grace_ms_);
    }
  }

  /// May be told again, to make it sooner.
  void end(std::int32_t grace_ms) noexcept {
    const auto at = now_ms() + grace_ms;
    if (ending_ && at >= kill_at_)
      return;
    kill_at_ = at;
    if (!ending_ && grace_ms > 0)
      end_descendants();
    ending_ = true;
  }

  /// Waits for what has ended. No child left means no descendant left, since
  /// each of them would have become a child.
  void reap() noexcept {
    for (;;) {
      int status = 0;
      const auto who = waitpid(-1, &status, WNOHANG);
      if (who == 0 || (who < 0 && errno == EINTR))
        return;
      if (who < 0)
        _exit(0);
      if (who == program_) {
        tell(kind::ended, status);
        end(grace_ms_); // whoever it left behind
      }
    }
  }

  [[noreturn]] void kill_all() noexcept {
    constexpr unsigned passes_between_pauses = 64;
    for (unsigned pass = 1;; ++pass) {
      kill_children_of(getpid());
      reap();
      // Without a pause, as a rule: who forks continuously is met only by
      // somebody who is as fast.
      if (pass % passes_between_pauses == 0)
        poll(nullptr, 0, 1);
    }
  }

  pid_t program_;
  int signals_;
  std::int32_t grace_ms_;
  bool connected_ = true;
  bool ending_ = false;
  std::int64_t kill_at_ = 0; ///< valid if ending
};

} // namespace

void supervise(const launch& what) noexcept {
  // A session of its own: Ctrl-C at the terminal is for convene.
  setsid();
  // The end of the connection tells that convene is gone; this wakes a
  // supervisor that somebody has stopped.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &normal, nullptr); // else nobody could be waited for
  prctl(PR_SET_NAME, "convene-watch");
  if (!arrange_files(what)) {
    const supervisor_report report{kind::no_supervisor, errno};
    send(what.control, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
    _exit(1);
  }
  const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    tell(kind::no_supervisor, errno);
    _exit(1);
  }
  const auto self = getpid();
  const auto program = fork();
  if (program == 0)
    execute(what, self);
  if (program < 0) {
    tell(kind::no_fork, errno);
    _exit(1);
  }
  // The program's ends of its pipes, and the folder, are its alone.
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < control_place; ++i)
    if (nothing < 0 || dup2(nothing, i) < 0)
      close(i);
  if (nothing >= 0)
    close(nothing);
  if (what.filter >= 0)
    close(filter_place);
  if (chdir("/") != 0) {
    // It then stays in the folder that convene is in.
  }
  watch{program, signals, what.grace_ms}.run();
}

} // namespace convene::host
