#include <convene/runtime/log/event_bus/subscriber.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

bool subscriber::push(const event_delivered& event) {
  const std::lock_guard held{mutex_};
  if (end_)
    return false;
  const auto bytes = event.line->size();
  if (!is_waited_for() && !has_room(bytes)) {
    if (how_.behind == when_behind::detach)
      end_ = subscription_end::detached;
    else
      ++missed_;
  } else {
    if (missed_ != 0)
      queue_.emplace_back(events_missed{std::exchange(missed_, 0)});
    queue_.emplace_back(event);
    bytes_ += bytes;
  }
  changed_.notify_one();
  return !end_;
}

bool subscriber::has_room(std::size_t bytes) const {
  return queue_.size() < how_.events_max && bytes_ <= how_.bytes_max
         && bytes <= how_.bytes_max - bytes_;
}

void subscriber::wait_for_room() {
  std::unique_lock held{mutex_};
  has_room_.wait(held, [this] { return end_ || has_room(0); });
}

void subscriber::end(subscription_end why) {
  const std::lock_guard held{mutex_};
  if (why == subscription_end::cancelled) {
    queue_.clear();
    bytes_ = 0;
    missed_ = 0;
  }
  if (!end_ || why == subscription_end::cancelled)
    end_ = why;
  changed_.notify_all();
  has_room_.notify_all();
}

bool subscriber::has_something() const {
  return !queue_.empty() || missed_ != 0 || end_;
}

std::optional<delivery>
subscriber::next(std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock held{mutex_};
  const auto ready = [this] { return has_something(); };
  if (until)
    changed_.wait_until(held, *until, ready);
  else
    changed_.wait(held, ready);
  if (!queue_.empty()) {
    auto first = std::move(queue_.front());
    queue_.pop_front();
    if (const auto* event = std::get_if<event_delivered>(&first))
      bytes_ -= event->line->size();
    if (is_waited_for())
      has_room_.notify_all();
    return first;
  }
  if (missed_ != 0)
    return events_missed{std::exchange(missed_, 0)};
  return std::nullopt;
}

std::optional<subscription_end> subscriber::ended() const {
  const std::lock_guard held{mutex_};
  return queue_.empty() && missed_ == 0 ? end_ : std::nullopt;
}

bool subscriber::is_closed() const {
  const std::lock_guard held{mutex_};
  return end_.has_value();
}

} // namespace convene::host

namespace convene {

std::optional<delivery> subscription::next() const {
  return queue_->next(std::nullopt);
}

std::optional<delivery>
subscription::next_for(std::chrono::milliseconds limit) const {
  using namespace std::chrono;
  constexpr milliseconds year = hours{24 * 365}; // the clock has an end
  return queue_->next(steady_clock::now()
                      + std::clamp(limit, milliseconds{0}, year));
}

void subscription::cancel() const {
  queue_->end(subscription_end::cancelled);
}

std::optional<subscription_end> subscription::ended() const {
  return queue_->ended();
}

event_listener::event_listener(subscription to,
                               std::function<void(const delivery&)> call)
  : to_{std::move(to)}, thread_{[from = to_, call = std::move(call)] {
      try {
        while (const auto what = from.next())
          call(*what);
      } catch (...) {
        from.cancel();
      }
    }} {
  // nop
}

event_listener::~event_listener() {
  to_.cancel();
  join();
}

void event_listener::join() {
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id())
    thread_.join();
}

} // namespace convene
