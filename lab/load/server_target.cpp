#include <convene/lab/load/server_target.hpp>
#include <convene/lab/load/session_probe.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

/// Longer than a node of a cluster takes to continue another one's sessions.
constexpr std::chrono::seconds away_max{60};

std::string reason_of(const protocol::error& why) {
  return why.rule.empty() ? std::string{protocol::to_word(why.code)} : why.rule;
}

} // namespace

server_target::server_target(std::vector<client> to, session_maker make,
                             load_recorder& recorder, std::size_t connections)
  : clients_{std::move(to)}, make_{std::move(make)}, recorder_{recorder} {
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

protocol::result<std::string> server_target::begin(const load_order& order,
                                                   std::size_t& at) {
  const auto scenario = session::encode(make_(order).scenario);
  for (std::size_t tries = 1;; ++tries) {
    auto begun = clients_[at].start_session(scenario);
    // Elsewhere only if it cannot have begun here.
    if (begun || begun.error().rule != "connect_failed"
        || tries == clients_.size())
      return begun;
    at = (at + 1) % clients_.size();
  }
}

protocol::result<observed>
server_target::observe(const std::string& id, std::size_t at,
                       const client::event_function& on_event) {
  const auto stop = stop_.get_token();
  std::optional<std::uint64_t> last;
  auto reached = std::chrono::steady_clock::now();
  for (;;) {
    const auto before = last;
    auto seen = clients_[at].observe_session(
      id,
      [&](const observed_event& event) {
        last = event.sequence;
        return on_event(event);
      },
      last, stop);
    if (last != before)
      reached = std::chrono::steady_clock::now();
    if (seen || clients_.size() == 1
        || seen.error().code != protocol::errc::io_failed
        || std::chrono::steady_clock::now() - reached > away_max)
      return seen;
    at = (at + 1) % clients_.size();
  }
}

load_ending server_target::follow(const load_order& order) {
  load_ending ending{.order = order, .began = now()};
  session_probe probe{order, recorder_};
  std::size_t at = order.number % clients_.size();
  auto done = begin(order, at).and_then([&](const std::string& id) {
    return observe(id, at, [&](const observed_event& event) {
      probe.see(event.text, now());
      return !probe.has_ended();
    });
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
