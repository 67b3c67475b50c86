#include <convene/actors/behaviours/simulated.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

/// What a number is drawn for. The order is part of what a seed means.
enum purpose : std::uint8_t { outcome, duration, vote };

} // namespace

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
    add_work(how_.work, asked, draws_, reply);
  }
  if (!given.silent)
    reply.usage = usage_of(how_.work.usage, row, draws_);
  return given;
}

} // namespace convene::actors
