#include <convene/lab/load/server_target.hpp>
#include <convene/lab/load/session_probe.hpp>

#include <utility>

namespace convene::host {
namespace {

std::string reason_of(const protocol::error& why) {
  return why.rule.empty() ? std::string{protocol::to_word(why.code)} : why.rule;
}

} // namespace

server_target::server_target(client to, session_maker make,
                             load_recorder& recorder, std::size_t connections)
  : client_{std::move(to)}, make_{std::move(make)}, recorder_{recorder} {
  for (std::size_t i = 0; i < connections; ++i)
    threads_.emplace_back([this] { follow_sessions(); });
}

server_target::~server_target() {
  abandon();
  threads_.clear(); // joins them
}

void server_target::start(const load_order& order) {
  const std::lock_guard held{mutex_};
  orders_.push_back(order);
  ordered_.notify_one();
}

void server_target::abandon() {
  stop_.request_stop();
  const std::lock_guard held{mutex_};
  orders_.clear();
}

void server_target::follow_sessions() {
  const auto stop = stop_.get_token();
  while (true) {
    load_order order;
    {
      std::unique_lock held{mutex_};
      if (!ordered_.wait(held, stop, [this] { return !orders_.empty(); }))
        return;
      order = orders_.front();
      orders_.pop_front();
    }
    tell(follow(order));
  }
}

load_ending server_target::follow(const load_order& order) {
  load_ending ending{.order = order, .began = now()};
  session_probe probe{order, recorder_};
  auto done = client_.start_session(session::encode(make_(order).scenario))
                .and_then([&](const std::string& id) {
                  return client_.observe_session(
                    id,
                    [&](const observed_event& event) {
                      probe.see(event.text, now());
                      return !probe.has_ended();
                    },
                    {}, stop_.get_token());
                });
  ending.ended = now();
  using enum load_ending::status;
  if (!done) {
    ending.how = failed;
    ending.reason = reason_of(done.error());
  } else if (!probe.has_ended()) {
    ending.how = failed;
    ending.reason = "session_left";
  } else {
    recorder_.took(order.kind, load_measure::end,
                   ending.ended - probe.last_answer_at(), ending.ended);
    if (!probe.is_completed()) {
      ending.how = cancelled;
      ending.reason = probe.condition();
    }
  }
  return ending;
}

} // namespace convene::host
