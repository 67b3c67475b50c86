#include <convene/server/runs/run_record.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace convene::server {

void run_record::add(std::vector<event_text> events) {
  const std::lock_guard lock{mutex_};
  for (const auto& each : events)
    bytes_ += each->size();
  std::ranges::move(events, std::back_inserter(events_));
}

void run_record::show(std::size_t until, bool ends) {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock{mutex_};
    shown_ = std::max(shown_, std::min(until, events_.size()));
    ended_ = ended_ || ends;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (ended_ || at->second.from < shown_) {
        due.push_back(std::move(at->second.then));
        at = waiting_.erase(at);
      } else {
        ++at;
      }
  }
  for (const auto& then : due)
    then();
}

void run_record::give_up() {
  {
    const std::lock_guard lock{mutex_};
    given_up_ = true;
  }
  show(0, true);
}

run_record::slice run_record::read(std::size_t from, std::size_t most) const {
  const std::lock_guard lock{mutex_};
  slice made;
  const auto begin = std::min(from, shown_);
  const auto end = begin + std::min(most, shown_ - begin);
  made.events.assign(std::next(events_.begin(), std::ptrdiff_t(begin)),
                     std::next(events_.begin(), std::ptrdiff_t(end)));
  made.is_end = ended_ && end == shown_;
  made.is_complete = made.is_end && !given_up_;
  return made;
}

std::vector<event_text> run_record::all(std::size_t from) const {
  const std::lock_guard lock{mutex_};
  const auto begin = std::min(from, events_.size());
  return {std::next(events_.begin(), std::ptrdiff_t(begin)), events_.end()};
}

std::size_t run_record::when_more(std::size_t from, std::function<void()> then,
                                  clock::time_point expires) {
  {
    const std::lock_guard lock{mutex_};
    if (!ended_ && from >= shown_) {
      // Readers that went away tell nobody.
      if (waiting_.size() >= sweep_at_) {
        std::erase_if(waiting_, [now = clock::now()](const auto& each) {
          return each.second.expires < now;
        });
        sweep_at_ = std::max(sweep_least, 2 * waiting_.size());
      }
      waiting_.emplace(++last_number_, waiter{from, std::move(then), expires});
      return last_number_;
    }
  }
  then();
  return 0;
}

void run_record::forget(std::size_t number) {
  const std::lock_guard lock{mutex_};
  waiting_.erase(number);
}

std::size_t run_record::bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

std::size_t run_record::shown() const {
  const std::lock_guard lock{mutex_};
  return shown_;
}

bool run_record::ended() const {
  const std::lock_guard lock{mutex_};
  return ended_;
}

} // namespace convene::server
