#pragma once

#include <convene/convene.hpp>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace convene::bench {

/// Keeps turns open until all that are awaited have come. Thread-safe.
class gate {
public:
  void hold(responder one) {
    const std::scoped_lock lock{mutex_};
    held_.push_back(std::move(one));
    if (held_.size() >= wanted_)
      there_.notify_all();
  }

  void wait_for(std::size_t count) {
    std::unique_lock lock{mutex_};
    wanted_ = count;
    there_.wait(lock, [this] { return held_.size() >= wanted_; });
  }

  /// Has all turns answered.
  void open() {
    std::vector<responder> all;
    {
      const std::scoped_lock lock{mutex_};
      all.swap(held_);
    }
    for (const auto& one : all)
      one.answer({.content = "ok"});
  }

private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::vector<responder> held_;
  std::size_t wanted_ = static_cast<std::size_t>(-1);
};

} // namespace convene::bench
