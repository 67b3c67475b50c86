#include <convene/runtime/log/event_log/log_progress.hpp>

namespace convene::host {

using namespace protocol;

void log_progress::news::make() const {
  for (const auto& call : calls)
    call(until.map([](log_position) {}));
}

void log_progress::fail(protocol::error why) {
  if (!failure_)
    failure_ = std::move(why);
}

result<void> log_progress::outcome(log_position place) const {
  if (kept_ < place && failure_)
    return protocol::fail(*failure_);
  return {};
}

bool log_progress::call_later(log_position place, when_kept& then) {
  if (is_settled(place))
    return false;
  calls_.push_back({place, std::move(then)});
  return true;
}

log_progress::news log_progress::settle(const result<void>& outcome,
                                        std::size_t bytes) {
  if (outcome)
    kept_ += bytes;
  else
    fail(outcome.error());
  const auto due = std::stable_partition(calls_.begin(), calls_.end(),
                                         [&](const waiting_call& call) {
                                           return outcome && call.place > kept_;
                                         });
  news what{.until = kept_, .calls = {}};
  if (!outcome)
    what.until = protocol::fail(*failure_);
  for (auto call = due; call != calls_.end(); ++call)
    what.calls.push_back(std::move(call->then));
  calls_.erase(due, calls_.end());
  return what;
}

} // namespace convene::host
