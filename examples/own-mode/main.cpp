// A coordination mode of one's own: everybody takes the hot seat once, and all
// others question them. It is tried under 100 seeds in which turns fail and
// time out, then run with functions as participants.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <convene/convene.hpp>
#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>
#include <convene/modes/catalog.hpp>

#include <atomic>
#include <cstdint>
#include <iostream>

using namespace convene;

namespace {

/// Question and answer take turns; `kept` counts them. With n participants each
/// seat has 2 (n - 1) of them.
session::ruling hot_seat(const session::view& now, session::memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  const auto others = now.participants.size() - 1;
  for (auto n = kept.is_int64() ? kept.get_int64() : 0;; ++n) {
    const auto each = static_cast<std::size_t>(n) / 2; // a pair of turns
    const auto seat = others == 0 ? 1 : each / others;
    if (seat > others)
      return session::only(session::complete{.condition = "all_heard"}, n);
    const bool asks = n % 2 == 0;
    const auto asker = (seat + 1 + each % others) % (others + 1);
    if (!now.participants[seat].can_act() || !now.participants[asker].can_act())
      continue;
    const auto& whom = now.participants[asks ? seat : asker];
    return session::only(session::dispatch{.participant = asks ? asker : seat,
                                           .task = (asks ? "Question "
                                                         : "Answer ")
                                                   + std::string{whom.id},
                                           .duty = asks ? "ask" : "answer"},
                         n + 1);
  }
}

constexpr session::routing_policy hot_seat_mode{
  .name = "hot_seat",
  .summary = "everybody answers the questions of all others",
  .decide = hot_seat};

constexpr auto text = R"({
  "collab": {"title": "Design review", "purpose": "Everybody defends a part",
             "mode": "round_robin", "participants": [
    {"participant_id": "ada", "kind": "agent", "role_id": "engineer"},
    {"participant_id": "bo", "kind": "agent", "role_id": "engineer"},
    {"participant_id": "cy", "kind": "agent", "role_id": "engineer"}]},
  "behaviours": {"*": {"type": "simulated", "failure": 0.05, "silence": 0.02,
    "latency_ms": {"lognormal": {"median": 800, "p99": 6000}}}},
  "task": "Review the design",
  "session": {"policy": "hot_seat", "turn_timeout_ms": 10000}
})";

int report(const error& why) {
  std::cerr << to_string(why) << '\n';
  return 1;
}

} // namespace

int main() {
  if (auto added = modes::add(hot_seat_mode); !added)
    return report(added.error());
  const host::scenario_input scenario{
    .given = boost::json::parse(text).as_object()};

  // Each seed's log is replayed, and checked against the laws of every mode.
  const auto read = host::read_once(scenario);
  if (!read)
    return report(read.error());
  const host::simulation what{
    .last = 100, .threads = 2, .scenario = [&read](std::uint64_t seed) {
      return host::scenario_for_seed(*read, seed, false);
    }};
  const std::atomic<bool> stop = false;
  const auto seeds = host::simulate(what, stop);
  if (!seeds)
    return report(seeds.error());
  const boost::json::value all = host::summarise(what, *seeds);
  std::cout << "simulated: " << all.at("failed") << " of 100 broke a law\n";

  const auto speaker = [](const char* id) {
    return quick_agent(id, "engineer", [](const turn_request& turn) {
      return reply{.content = turn.task};
    });
  };
  options in_hot_seat;
  in_hot_seat.policy = "hot_seat";
  runtime rt;
  const auto result = rt.start({.mode = convene::mode::round_robin,
                                .participants = {speaker("ada"), speaker("bo")},
                                .task = "Review the design",
                                .options = in_hot_seat})
                        .await();
  if (!result)
    return report(result.error());
  for (const auto& said : result->dialog().messages)
    std::cout << said.content << '\n';
  std::cout << result->stop_reason.condition << '\n';
  return result->stop_reason.condition == "all_heard" ? 0 : 1;
}
