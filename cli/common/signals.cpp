#include <convene/cli/common/signals.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

bool is_ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

} // namespace

signal_watch::signal_watch(std::function<void()> on_first,
                           std::initializer_list<int> more)
  : on_first_(std::move(on_first)) {
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGINT);
  sigaddset(&watched_, SIGTERM);
  for (const int each : more)
    if (!is_ignored(each))
      sigaddset(&watched_, each);
  pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  signals_ = ::signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ == -1 || stop_ == -1)
    throw std::system_error(errno, std::generic_category(), "signals");
  thread_ = std::thread{[this] { watch(); }};
}

signal_watch::~signal_watch() {
  ::eventfd_write(stop_, 1);
  thread_.join();
  ::close(signals_);
  ::close(stop_);
  pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
}

void signal_watch::watch() {
  // Some send a signal to a process and then to its group.
  constexpr std::chrono::milliseconds same_signal{200};
  std::chrono::steady_clock::time_point first_at;
  for (;;) {
    pollfd ready[] = {{signals_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR)
      return;
    if (ready[1].revents != 0)
      return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info)
      continue;
    const int number = static_cast<int>(info.ssi_signo);
    const auto now = std::chrono::steady_clock::now();
    if (caught_ != 0 && now - first_at < same_signal)
      continue;
    if (caught_ != 0)
      std::quick_exit(128 + number); // restores a terminal, nothing else
    caught_ = number;
    first_at = now;
    on_first_();
  }
}

} // namespace convene::cli
