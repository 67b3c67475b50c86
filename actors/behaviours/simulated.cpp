#include <convene/actors/behaviours/simulated.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <cmath>

namespace convene::actors {
namespace {

/// What a number is drawn for. The order is part of what a seed means.
enum purpose : std::uint8_t { outcome, duration, vote };

/// normal_quantile(0.99)
constexpr double p99_quantile = 2.3263478740408408;

double latency_at(const latency& how, double share) noexcept {
  switch (how.kind) {
    case latency::shape::uniform:
      return how.low + share * (how.high - how.low);
    case latency::shape::lognormal:
      return how.low
             * std::exp(std::log(how.high / how.low) / p99_quantile
                        * normal_quantile(share));
    case latency::shape::constant:
      break;
  }
  return how.low;
}

} // namespace

std::int64_t latency::at(double share) const noexcept {
  constexpr auto most = static_cast<double>(session::duration_ms_max);
  return std::llround(std::clamp(latency_at(*this, share), 0.0, most));
}

answer simulated_behaviour::respond(const turn_request& asked) {
  const auto n = asked.sequence;
  const auto& sides = asked.dispute.sides;
  // Questions have a sequence of their own: they draw on another row.
  const auto row = sides.empty() ? n : ~n;
  answer given{.delay_ms = how_.latency.at(draws_.uniform(n, duration))};
  auto& reply = given.reply;
  auto luck = draws_.uniform(row, outcome);
  if (luck < how_.silence) {
    given.silent = true;
  } else if ((luck -= how_.silence) < how_.failure) {
    reply.status = protocol::reply_status::failed;
    reply.error = {"simulated_failure", "the simulation drew a failure"};
  } else if ((luck -= how_.failure) < how_.decline) {
    reply.status = protocol::reply_status::declined;
  } else if (asked.kind == session::request_kind::decision) {
    reply.decision = decide_by_plan(asked, how_.plan);
  } else if (!sides.empty()) {
    const auto share = draws_.uniform(row, vote);
    const auto last = sides.size() - 1;
    const auto choice = std::min(last,
                                 static_cast<std::size_t>(
                                   share * static_cast<double>(sides.size())));
    reply.vote = {asked.dispute.conflict_id, sides[choice].participant};
  } else {
    reply.content = how_.content.value_or("simulated: " + asked.task);
    reply.end = draws_.uniform(n, vote) < how_.end;
  }
  return given;
}

} // namespace convene::actors
