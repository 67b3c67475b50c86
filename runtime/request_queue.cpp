#include <convene/runtime/request_queue.hpp>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace convene {

result<std::shared_ptr<request_queue>> request_queue::make() {
  const int made = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (made < 0)
    return protocol::fail(protocol::errc::io_failed,
                          "no eventfd can be made: "
                            + std::generic_category().message(errno),
                          "eventfd");
  return std::shared_ptr<request_queue>{new request_queue{made}};
}

request_queue::~request_queue() {
  ::close(descriptor_);
}

void request_queue::add(const turn_request& asked) {
  std::uint64_t number = 0;
  {
    const std::lock_guard held{mutex_};
    if (is_closed_)
      return;
    number = ++last_number_;
    waiting_.emplace(number, asked);
    show();
  }
  news_.notify_one();
  asked.live->when_over([self = weak_from_this(), number] {
    if (const auto queue = self.lock())
      queue->drop(number);
  });
}

std::optional<turn_request> request_queue::next() {
  std::unique_lock held{mutex_};
  news_.wait(held, [this] { return is_ready(); });
  return take();
}

std::optional<turn_request>
request_queue::next_for(std::chrono::milliseconds limit) {
  using namespace std::chrono;
  constexpr milliseconds year = hours{24 * 365}; // the clock has an end
  std::unique_lock held{mutex_};
  news_.wait_for(held, std::clamp(limit, milliseconds{0}, year),
                 [this] { return is_ready(); });
  return take();
}

/// Expects the mutex to be held, like `take`.
bool request_queue::is_ready() const {
  return !waiting_.empty() || is_woken_ || is_closed_;
}

std::optional<turn_request> request_queue::take() {
  std::optional<turn_request> found;
  if (waiting_.empty())
    is_woken_ = false;
  else
    found = std::move(waiting_.extract(waiting_.begin()).mapped());
  show();
  return found;
}

bool request_queue::is_closed() const {
  const std::lock_guard held{mutex_};
  return is_closed_;
}

void request_queue::wake() {
  {
    const std::lock_guard held{mutex_};
    is_woken_ = true;
    show();
  }
  news_.notify_one();
}

void request_queue::close() {
  {
    const std::lock_guard held{mutex_};
    is_closed_ = true;
    show();
  }
  news_.notify_all();
}

void request_queue::drop(std::uint64_t number) {
  decltype(waiting_)::node_type gone; // without the lock: it holds the turn
  const std::lock_guard held{mutex_};
  gone = waiting_.extract(number);
  show();
}

/// Has the descriptor follow the queue; expects the mutex to be held.
void request_queue::show() {
  const bool shall = !waiting_.empty() || is_woken_ || is_closed_;
  if (std::exchange(is_shown_, shall) == shall)
    return;
  // Neither can block or fail: the counter is 0 or 1.
  if (shall)
    static_cast<void>(::eventfd_write(descriptor_, 1));
  else {
    eventfd_t one = 0;
    static_cast<void>(::eventfd_read(descriptor_, &one));
  }
}

} // namespace convene
