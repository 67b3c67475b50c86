#include <convene/actors/behaviours/simulated.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

/// What a number is drawn for. The order is part of what a seed means.
enum purpose : std::uint8_t { outcome, duration, vote };

/// What is drawn once for a session; no `purpose` and no `work_purpose`.
enum trait : std::uint8_t { pace = 64 };

/// Large values are cut by `distribution`, so this does not overflow.
std::int64_t percent_of(std::int64_t number, std::int64_t percent) {
  return static_cast<std::int64_t>(static_cast<double>(number)
                                   * static_cast<double>(percent) / 100);
}

} // namespace

simulated_behaviour::simulated_behaviour(protocol::shared_value<simulation> how,
                                         std::uint64_t seed,
                                         std::string_view participant_id,
                                         std::shared_ptr<task_places> by_task)
  : how_{std::move(how)}, draws_{seed, participant_id, std::move(by_task)},
    pace_percent_{how_->pace.at(draws_.trait(pace))} {
  // nop
}

answer simulated_behaviour::respond(const turn_request& asked) {
  const auto& sides = asked.dispute.sides;
  const auto [drawn, row] = draws_.for_request(asked);
  answer given{.delay_ms = percent_of(how_->latency.at(drawn.uniform(duration)),
                                      pace_percent_)};
  auto& reply = given.reply;
  auto luck = row.uniform(outcome);
  if (luck < how_->silence) {
    given.silent = true;
  } else if ((luck -= how_->silence) < how_->failure) {
    reply.status = protocol::reply_status::failed;
    reply.error = {"simulated_failure", "the simulation drew a failure"};
  } else if ((luck -= how_->failure) < how_->decline) {
    reply.status = protocol::reply_status::declined;
  } else if (asked.kind == session::request_kind::decision) {
    reply.decision = decide_by_plan(asked, how_->plan);
  } else if (!sides.empty()) {
    const auto share = row.uniform(vote);
    const auto last = sides.size() - 1;
    const auto choice = std::min(last,
                                 static_cast<std::size_t>(
                                   share * static_cast<double>(sides.size())));
    reply.vote = {asked.dispute.conflict_id, sides[choice].participant};
  } else {
    reply.content = how_->content.value_or("simulated: " + asked.task);
    reply.end = drawn.uniform(vote) < how_->end;
    add_work(how_->work, asked, drawn, reply);
  }
  if (!given.silent)
    reply.usage = usage_of(how_->work.usage, row);
  return given;
}

} // namespace convene::actors
