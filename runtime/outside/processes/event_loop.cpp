#include <convene/runtime/outside/processes/event_loop.hpp>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

namespace convene::host {
namespace {

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

} // namespace

event_loop::event_loop()
  : poll_{epoll_create1(EPOLL_CLOEXEC)}, wake_{eventfd(0, EFD_CLOEXEC
                                                            | EFD_NONBLOCK)} {
  if (!poll_ || !wake_)
    throw_errno("an event loop");
  epoll_event event{.events = EPOLLIN, .data = {.u64 = 0}};
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
    throw_errno("an event loop");
}

void event_loop::post(std::function<void()> job) {
  bool first = false;
  {
    const std::lock_guard held{mutex_};
    if (is_over_)
      return;
    first = jobs_.empty();
    jobs_.push_back(std::move(job));
  }
  // The loop itself looks for them before it waits.
  if (first && runner_ != std::this_thread::get_id()) {
    const std::uint64_t one = 1;
    // Fails only if it is awake anyway.
    [[maybe_unused]] const auto sent = write(wake_.get(), &one, sizeof one);
  }
}

event_loop::watch_id
event_loop::watch(int file, std::uint32_t events,
                  std::function<void(std::uint32_t)> then) {
  const auto id = ++last_id_;
  epoll_event event{.events = events, .data = {.u64 = id}};
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, file, &event) != 0)
    return 0;
  watched_.emplace(
    id, watched{file, std::make_shared<std::function<void(std::uint32_t)>>(
                        std::move(then))});
  return id;
}

void event_loop::change(watch_id which, std::uint32_t events) {
  const auto found = watched_.find(which);
  if (found == watched_.end())
    return;
  epoll_event event{.events = events, .data = {.u64 = which}};
  epoll_ctl(poll_.get(), EPOLL_CTL_MOD, found->second.file, &event);
}

void event_loop::forget(watch_id which) {
  const auto found = watched_.find(which);
  if (found == watched_.end())
    return;
  epoll_ctl(poll_.get(), EPOLL_CTL_DEL, found->second.file, nullptr);
  watched_.erase(found);
}

event_loop::timer_id event_loop::after(std::chrono::milliseconds time,
                                       std::function<void()> then) {
  // Far enough for any deadline, near enough for the clock.
  constexpr std::chrono::hours longest{24 * 365};
  const timer_id id{clock::now()
                      + std::min<std::chrono::milliseconds>(time, longest),
                    ++last_id_};
  timers_.emplace(id, std::move(then));
  return id;
}

void event_loop::cancel(const timer_id& which) {
  timers_.erase(which);
}

bool event_loop::run_jobs() {
  std::vector<std::function<void()>> now;
  {
    const std::lock_guard held{mutex_};
    now.swap(jobs_);
  }
  for (const auto& job : now)
    job();
  now.clear(); // may post, too
  const std::lock_guard held{mutex_};
  return !jobs_.empty();
}

void event_loop::run_timers() {
  const auto now = clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto due = timers_.extract(timers_.begin());
    due.mapped()();
  }
}

int event_loop::wait_ms() const {
  if (timers_.empty())
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
    timers_.begin()->first.first - clock::now());
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(
    std::clamp(std::int64_t{left.count()}, std::int64_t{0}, most));
}

void event_loop::run() {
  std::array<epoll_event, 64> events{};
  runner_ = std::this_thread::get_id();
  for (;;) {
    const bool is_busy = run_jobs();
    if (quit_)
      break;
    const auto count = epoll_wait(poll_.get(), events.data(),
                                  static_cast<int>(events.size()),
                                  is_busy ? 0 : wait_ms());
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == 0) {
        std::uint64_t times = 0;
        [[maybe_unused]] const auto got = read(wake_.get(), &times,
                                               sizeof times);
      } else if (const auto found = watched_.find(event.data.u64);
                 found != watched_.end()) {
        const auto then = found->second.then; // may forget itself
        (*then)(event.events);
      }
    }
    run_timers();
  }
  std::vector<std::function<void()>> dropped; // goes without the lock
  const std::lock_guard held{mutex_};
  is_over_ = true;
  dropped.swap(jobs_);
}

} // namespace convene::host
