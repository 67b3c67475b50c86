#pragma once

#include <convene/session/journal/effects.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convene::actors {

/// What waits until the events before it are kept: requests, or notices. Who
/// adds one drops those whose request has closed, so that there are never more
/// than the session has open.
template <class What>
class held_back {
public:
  void add(std::uint64_t number, What what) {
    waiting_.push_back({number, std::move(what)});
  }

  /// Drops those that `stays` does not hold for.
  template <class Stays>
  void keep_if(Stays stays) {
    std::erase_if(waiting_,
                  [&](const entry& each) { return !stays(each.what); });
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return waiting_.size();
  }
  /// Whether somebody has one of the first `count`: what comes later waits
  /// behind it.
  [[nodiscard]] bool has(session::participant_index who,
                         std::size_t count) const {
    return std::any_of(
      waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count),
      [who](const entry& each) { return each.what.to == who; });
  }

  /// Hands all with numbers up to `number` to `send`, in order.
  template <class Send>
  void release(std::uint64_t number, Send send) {
    auto free = waiting_.begin();
    for (; free != waiting_.end() && free->number <= number; ++free)
      send(std::move(free->what));
    waiting_.erase(waiting_.begin(), free);
  }

private:
  struct entry {
    std::uint64_t number = 0;
    What what;
  };

  std::vector<entry> waiting_;
};

using held_requests = held_back<session::delivery>;
using held_notices = held_back<session::notice>;

} // namespace convene::actors
