#include <convene/runtime/outside/http/http_call.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/runtime/outside/http/parting_threads.hpp>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_wait{60'000};

/// Blocks all signals in this thread, and so in those that it starts.
class signals_blocked {
public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t before_{};
};

} // namespace

/// What client, loop thread and cancel functions share.
struct http_client::loop {
  struct starting_call {
    std::uint64_t id = 0;
    std::unique_ptr<http_call> call;
  };

  explicit loop(http_options wanted);
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  ~loop();

  void wake() const;
  void halt(); ///< has `run` end
  void run();

  // Set once.
  std::shared_ptr<const http_options> options;
  int epoll = -1;
  int event = -1;
  CURLM* multi = nullptr;

  std::mutex mutex;
  // Guarded by the mutex.
  std::vector<starting_call> starting;
  std::vector<std::uint64_t> cancelled;
  std::vector<std::uint64_t> resumed;
  std::multimap<steady::time_point, std::function<void()>> timers;
  std::uint64_t last_id = 0;
  std::size_t open = 0; ///< starting or under way
  bool stopping = false;
  bool over = false; ///< nobody takes orders any more

private:
  bool take_orders();
  void begin(starting_call what);
  void end(std::unordered_map<std::uint64_t,
                              std::unique_ptr<http_call>>::iterator which,
           std::optional<CURLcode> how);
  void run_timers();
  void wait();
  void collect();
  void stop();

  static int watch(CURL*, curl_socket_t socket, int what, void* self,
                   void*) noexcept;
  static int set_timer(CURLM*, long wait_ms, void* self) noexcept;

  // Of the loop thread.
  std::unordered_map<std::uint64_t, std::unique_ptr<http_call>> calls_;
  std::unordered_map<CURL*, std::uint64_t> id_of_;
  std::optional<steady::time_point> libcurl_at_;
};

http_client::loop::loop(http_options wanted)
  : options(std::make_shared<const http_options>(std::move(wanted))) {
  std::ignore = parting_threads::all();
  epoll = epoll_create1(EPOLL_CLOEXEC);
  event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  multi = curl().multi_init();
  epoll_event wakes{.events = EPOLLIN, .data = {.fd = event}};
  if (epoll < 0 || event < 0 || multi == nullptr
      || epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wakes) != 0)
    throw std::runtime_error{"the HTTP client cannot start: the system has no "
                             "more files or memory to give"};
  curl().multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &loop::watch);
  curl().multi_setopt(multi, CURLMOPT_SOCKETDATA, static_cast<void*>(this));
  curl().multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &loop::set_timer);
  curl().multi_setopt(multi, CURLMOPT_TIMERDATA, static_cast<void*>(this));
  // Connections that nobody uses.
  curl().multi_setopt(multi, CURLMOPT_MAXCONNECTS, 64L);
}

http_client::loop::~loop() {
  if (multi != nullptr)
    curl().multi_cleanup(multi);
  for (int each : {event, epoll})
    if (each >= 0)
      close(each);
}

void http_client::loop::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(event, &one, sizeof one);
}

void http_client::loop::halt() {
  {
    const std::lock_guard lock{mutex};
    stopping = true;
  }
  wake();
}

int http_client::loop::watch(CURL*, curl_socket_t socket, int what, void* self,
                             void*) noexcept {
  const auto epoll = static_cast<loop*>(self)->epoll;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event wanted{.events = 0, .data = {.fd = socket}};
  if (what != CURL_POLL_OUT)
    wanted.events |= EPOLLIN;
  if (what != CURL_POLL_IN)
    wanted.events |= EPOLLOUT;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &wanted) == 0)
    return 0;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &wanted) == 0 ? 0 : -1;
}

int http_client::loop::set_timer(CURLM*, long wait_ms, void* self) noexcept {
  auto& at = static_cast<loop*>(self)->libcurl_at_;
  if (wait_ms < 0)
    at.reset();
  else
    at = steady::now() + std::chrono::milliseconds{wait_ms};
  return 0;
}

void http_client::loop::run() {
  while (take_orders()) {
    run_timers();
    wait();
    collect();
  }
  stop();
}

bool http_client::loop::take_orders() {
  std::unique_lock lock{mutex};
  auto begun = std::exchange(starting, {});
  const auto ended = std::exchange(cancelled, {});
  const auto gone_on = std::exchange(resumed, {});
  if (stopping) {
    starting = std::move(begun);
    return false;
  }
  lock.unlock();
  for (auto& each : begun)
    begin(std::move(each));
  for (auto id : ended)
    if (const auto found = calls_.find(id); found != calls_.end())
      end(found, std::nullopt);
  for (auto id : gone_on)
    if (const auto found = calls_.find(id); found != calls_.end())
      found->second->go_on();
  return true;
}

void http_client::loop::begin(starting_call what) {
  const auto at = calls_.emplace(what.id, std::move(what.call)).first;
  auto& call = *at->second;
  if (!call.prepare()) {
    end(at, CURLE_FAILED_INIT);
    return;
  }
  id_of_[call.handle()] = what.id;
  if (curl().multi_add_handle(multi, call.handle()) != CURLM_OK)
    end(at, CURLE_OUT_OF_MEMORY);
}

/// Without a code: the call was cancelled, nobody is told.
void http_client::loop::end(
  std::unordered_map<std::uint64_t, std::unique_ptr<http_call>>::iterator which,
  std::optional<CURLcode> how) {
  const auto call = std::move(which->second);
  calls_.erase(which);
  if (call->handle() != nullptr) {
    id_of_.erase(call->handle());
    curl().multi_remove_handle(multi, call->handle());
  }
  {
    const std::lock_guard lock{mutex};
    --open;
  }
  if (how)
    call->finish(*how);
}

void http_client::loop::run_timers() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock{mutex};
    const auto end = timers.upper_bound(steady::now());
    for (auto at = timers.begin(); at != end; ++at)
      due.push_back(std::move(at->second));
    timers.erase(timers.begin(), end);
  }
  for (auto& each : due)
    each();
}

void http_client::loop::wait() {
  auto until = steady::now() + longest_wait;
  if (libcurl_at_)
    until = std::min(until, *libcurl_at_);
  {
    const std::lock_guard lock{mutex};
    if (!timers.empty())
      until = std::min(until, timers.begin()->first);
  }
  const auto left
    = std::chrono::ceil<std::chrono::milliseconds>(until - steady::now());
  std::array<epoll_event, 256> events{};
  const auto count
    = epoll_wait(epoll, events.data(), static_cast<int>(events.size()),
                 static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const auto& each = events[static_cast<std::size_t>(i)];
    if (each.data.fd == event) {
      std::uint64_t woken = 0;
      [[maybe_unused]] const auto got = read(event, &woken, sizeof woken);
      continue;
    }
    int mask = 0;
    if ((each.events & EPOLLIN) != 0)
      mask |= CURL_CSELECT_IN;
    if ((each.events & EPOLLOUT) != 0)
      mask |= CURL_CSELECT_OUT;
    if ((each.events & (EPOLLERR | EPOLLHUP)) != 0)
      mask |= CURL_CSELECT_ERR;
    curl().multi_socket_action(multi, each.data.fd, mask, &running);
  }
  if (libcurl_at_ && *libcurl_at_ <= steady::now()) {
    libcurl_at_.reset();
    curl().multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

void http_client::loop::collect() {
  std::vector<std::pair<std::uint64_t, CURLcode>> over;
  int left = 0;
  while (const auto* message = curl().multi_info_read(multi, &left))
    if (message->msg == CURLMSG_DONE)
      over.emplace_back(id_of_.at(message->easy_handle), message->data.result);
  for (const auto& [id, how] : over)
    if (const auto found = calls_.find(id); found != calls_.end())
      end(found, how);
}

void http_client::loop::stop() {
  constexpr std::string_view code = "client_stopped";
  const std::string words = "the HTTP client was stopped";
  for (auto& [id, call] : std::exchange(calls_, {})) {
    curl().multi_remove_handle(multi, call->handle());
    call->fail(code, words);
  }
  std::vector<starting_call> never_begun;
  decltype(timers) dropped; // goes without the lock
  {
    const std::lock_guard lock{mutex};
    never_begun = std::exchange(starting, {});
    dropped.swap(timers);
    over = true;
  }
  for (auto& each : never_begun)
    each.call->fail(code, words);
}

http_client::http_client(http_options options)
  : loop_(std::make_shared<loop>(std::move(options))) {
  const signals_blocked quiet;
  thread_ = std::jthread{[state = loop_]() mutable {
    state->run();
    state.reset();
  }};
}

http_client::~http_client() {
  if (thread_.get_id() != std::this_thread::get_id()) {
    end();
    return;
  }
  loop_->halt();
  parting_threads::all().take(std::move(thread_), loop_);
}

void http_client::end() {
  if (!thread_.joinable())
    return;
  loop_->halt();
  thread_.join();
}

http_client::cancel_function http_client::start(http_request what,
                                                when_answered done) {
  return begin(std::move(what), std::move(done)).cancel;
}

http_client::call_control http_client::begin(http_request what,
                                             when_answered done) {
  // Once the lock is gone, the answer may come and destroy the client.
  const auto state = loop_;
  const auto calls_max = state->options->calls_max;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock{state->mutex};
    if (state->over)
      return {[] {}, [] {}};
    if (state->open >= calls_max) {
      state->timers.emplace(steady::time_point{}, [done = std::move(done),
                                                   calls_max] {
        http_answer refused;
        refused.error = {.code = "http_calls_max",
                         .message = "there are already "
                                    + std::to_string(calls_max) + " HTTP calls",
                         .transient = true};
        done(std::move(refused));
      });
    } else {
      id = ++state->last_id;
      ++state->open;
      state->starting.push_back(
        {id, std::make_unique<http_call>(std::move(what), std::move(done),
                                         state->options)});
    }
  }
  state->wake();
  const auto order = [id, weak = std::weak_ptr<loop>{state}](auto list) {
    return [id, weak, list] {
      const auto to = weak.lock();
      if (!to || id == 0)
        return;
      {
        const std::lock_guard lock{to->mutex};
        if (to->over)
          return;
        ((*to).*list).push_back(id);
      }
      to->wake();
    };
  };
  return {order(&loop::cancelled), order(&loop::resumed)};
}

void http_client::after(std::chrono::milliseconds delay,
                        std::function<void()> then) {
  const auto state = loop_; // as in `start`
  {
    const std::lock_guard lock{state->mutex};
    if (state->over)
      return;
    state->timers.emplace(steady::now() + delay, std::move(then));
  }
  state->wake();
}

} // namespace convene::host
