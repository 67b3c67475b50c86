#include <convene/lab/load/runtime_target.hpp>

#include <optional>
#include <utility>

namespace convene::host {

using namespace std::chrono_literals;

runtime_target::runtime_target(std::unique_ptr<convene::runtime> runtime,
                               session_maker make, load_recorder& recorder,
                               bool has_log)
  : runtime_{std::move(runtime)}, make_{std::move(make)}, recorder_{recorder},
    has_log_{has_log}, waiter_{[this](const std::stop_token& stop) {
      wait_for_ends(stop);
    }} {}

runtime_target::~runtime_target() {
  waiter_.request_stop();
  waiter_.join();
  runtime_.reset(); // until it is gone, sessions may still tell of their events
}

result<void> runtime_target::close() {
  return runtime_->close();
}

void runtime_target::start(const load_order& order) {
  const auto began = now();
  auto probe = std::make_shared<session_probe>(order, recorder_);
  auto made = make_(order);
  start_options how;
  how.functions = std::move(made.functions);
  how.observer = [this, probe, number = order.number](std::string_view,
                                                      std::string_view lines) {
    probe->see(lines, now());
    if (!probe->has_ended())
      return;
    const std::lock_guard held{mutex_};
    seen_ends_.push_back(number);
    changed_.notify_one();
  };
  auto handle = runtime_->start(std::move(made.scenario), std::move(how));
  running one{order, began, std::move(probe), std::move(handle)};
  {
    const std::lock_guard held{mutex_};
    if (!one.handle.await_for(0ms) || one.probe->has_ended()) {
      running_.emplace(order.number, std::move(one));
      changed_.notify_one();
      return;
    }
  }
  tell_end(one, one.handle.await());
}

void runtime_target::wait_for_ends(const std::stop_token& stop) {
  auto looked = now();
  while (!stop.stop_requested()) {
    std::optional<std::uint64_t> ended;
    {
      std::unique_lock held{mutex_};
      // One may have ended before `start` has its handle.
      changed_.wait_for(held, stop, 200ms, [this] {
        return !seen_ends_.empty() && running_.contains(seen_ends_.front());
      });
      if (!seen_ends_.empty() && running_.contains(seen_ends_.front())) {
        ended = seen_ends_.front();
        seen_ends_.pop_front();
      }
    }
    if (ended)
      report_end(*ended);
    if (now() - looked > 1s) {
      look_for_failed();
      looked = now();
    }
  }
}

void runtime_target::report_end(std::uint64_t number) {
  std::unique_lock held{mutex_};
  const auto node = running_.extract(number);
  held.unlock();
  if (node.empty()) // `abandon` was faster
    return;
  tell_end(node.mapped(), node.mapped().handle.await());
}

void runtime_target::look_for_failed() {
  std::vector<running> failed;
  {
    const std::lock_guard held{mutex_};
    for (auto at = running_.begin(); at != running_.end();) {
      const auto outcome = at->second.handle.await_for(0ms);
      if (!outcome || *outcome) {
        ++at;
        continue;
      }
      std::erase(seen_ends_, at->first);
      failed.push_back(std::move(at->second));
      at = running_.erase(at);
    }
  }
  for (const auto& one : failed)
    tell_end(one, one.handle.await());
}

void runtime_target::tell_end(const running& what,
                              const result<session_result>& outcome) {
  const auto at = now();
  load_ending ending{.order = what.order, .began = what.began, .ended = at};
  using enum load_ending::status;
  if (!outcome) {
    ending.how = failed;
    ending.reason = outcome.error().rule.empty()
                      ? std::string{protocol::to_word(outcome.error().code)}
                      : outcome.error().rule;
  } else {
    const auto& probe = *what.probe;
    if (outcome->status != collab_status::completed) {
      ending.how = cancelled;
      ending.reason = outcome->stop_reason.condition;
    }
    recorder_.took(what.order.kind, load_measure::end,
                   at - probe.last_answer_at(), at);
    if (has_log_)
      recorder_.took(what.order.kind, load_measure::log, at - probe.ended_at(),
                     at);
  }
  tell(std::move(ending));
}

void runtime_target::abandon() {
  std::vector<running> left;
  {
    const std::lock_guard held{mutex_};
    for (auto& [number, one] : running_)
      left.push_back(std::move(one));
    running_.clear();
    seen_ends_.clear();
  }
  for (const auto& one : left)
    one.handle.cancel("the load is over");
}

} // namespace convene::host
