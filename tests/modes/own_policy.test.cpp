#include <catch2/catch.hpp>
#include <support/dice.hpp>
#include <support/log_laws.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <array>
#include <stdexcept>

// What the machine does with policies that no one here has written.

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// Mostly somebody or something that there is.
std::size_t around(dice& d, std::size_t count) {
  return d.chance(90) && count > 0 ? d.below(count) : d.below(1'000'000);
}

decision any_decision(dice& d, const view& now) {
  static constexpr std::array<std::string_view, 3> conditions{"rounds", "mine",
                                                              ""};
  const auto steps = now.plan == nullptr ? 0 : now.plan->size();
  switch (d.below(12)) {
    case 0:
      return broadcast{.round = d.chance(90) ? now.broadcasts + 1 : 0,
                       .task = d.chance(50) ? "ask" : ""};
    case 1:
      return consult{};
    case 2:
      return close_step{.step = static_cast<step_index>(around(d, steps)),
                        .status = d.chance(50)
                                    ? protocol::step_status::completed
                                    : protocol::step_status::failed,
                        .reason = "so"};
    case 3:
      return complete{.success = d.chance(50),
                      .condition = conditions.at(d.below(conditions.size())),
                      .observed = "x",
                      .limit = d.below(5)};
    default:
      return dispatch{.participant = static_cast<participant_index>(
                        around(d, now.participants.size())),
                      .step = d.chance(60)
                                ? no_step
                                : static_cast<step_index>(around(d, steps)),
                      .task = d.chance(50) ? "do" : "",
                      .duty = d.chance(50) ? "a duty" : "",
                      .may_write = d.chance(70)};
  }
}

/// A fault of the policy is what the law about faults looks for.
bool is_fault(const std::string& law) {
  return law.find("): anything: ") != std::string::npos;
}

/// Decides anything, but the same whenever it is asked the same.
ruling decide_anything(const view& now, memory kept) {
  const auto number = kept.is_int64() ? kept.get_int64() : 0;
  dice d{static_cast<std::uint32_t>(number * 7919 + now.turns * 31
                                    + now.participants.size())};
  ruling made{.memory = number + 1};
  // Often what is allowed, so that more than a few events come of it.
  if (d.chance(85) && now.busy == 0)
    made.decisions.push_back(
      dispatch{.participant = next_acting(now, now.turn.turn_index)});
  else if (d.chance(15) || now.busy == 0)
    for (auto n = 1 + d.below(3); n > 0; --n)
      made.decisions.push_back(any_decision(d, now));
  return made;
}

constexpr routing_policy anything_in_turn{.name = "anything",
                                          .decide = decide_anything};
constexpr routing_policy anything_at_once{.name = "anything",
                                          .takes_turns = false,
                                          .decide = decide_anything};
constexpr routing_policy anything_led{.name = "anything",
                                      .takes_turns = false,
                                      .needs_plan = true,
                                      .needs_orchestrator = true,
                                      .decide = decide_anything};

constexpr routing_policy throws_later{
  .name = "throws", .decide = [](const view& now, memory kept) -> ruling {
    if (now.turns > 0)
      throw std::runtime_error{"nobody is left"};
    return only(dispatch{.participant = 0}, std::move(kept));
  }};

} // namespace

TEST_CASE("whatever a policy decides, the log keeps the laws and replays") {
  for (const auto* policy :
       {&anything_in_turn, &anything_at_once, &anything_led}) {
    std::size_t events = 0;
    std::size_t faults = 0;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
      INFO("turns " << policy->takes_turns << ", led "
                    << policy->needs_orchestrator << ", seed " << seed);
      const auto made = run_random_session(*policy, seed);
      auto broken = made.broken;
      for (auto& law : broken_laws(made.lines, policy->takes_turns))
        if (is_fault(law))
          ++faults;
        else
          broken.push_back(std::move(law));
      CAPTURE(broken);
      REQUIRE(broken.empty());
      const auto other = replay(made.lines,
                                [policy](std::string_view) { return policy; });
      INFO((other ? other->message + "\nexpected " + other->expected
                      + "\nactual   " + other->actual
                  : ""));
      REQUIRE_FALSE(other);
      events += made.lines.size();
    }
    CAPTURE(events, faults);
    CHECK(events > 300 * 8); // else the sessions end before anything happens
    CHECK(faults > 30);
  }
}

TEST_CASE("a policy that says what no log can hold cancels its session") {
  const auto bad = GENERATE(as<std::string>{}, "\xff",
                            std::string(1 << 21, 'x'));
  static std::string said;
  said = bad;
  static constexpr routing_policy speaks{
    .name = "speaks", .decide = [](const view&, memory kept) {
      return only(dispatch{.participant = 0, .task = said}, std::move(kept));
    }};
  const auto bench
    = rig::started(make_spec(protocol::mode::round_robin, {"a", "b"}), speaks);
  CHECK(bench.ending() == "cancelled: policy_fault");
}

TEST_CASE("a policy that broadcasts without end is stopped by max_turns") {
  static constexpr routing_policy repeats{
    .name = "repeats",
    .takes_turns = false,
    .decide = [](const view& now, memory kept) {
      return now.busy > 0
               ? ruling{{}, std::move(kept)}
               : only(broadcast{.round = now.broadcasts + 1}, std::move(kept));
    }};
  auto what = make_spec(protocol::mode::broadcast, {"a", "b"});
  what.options.max_turns = 7;
  auto bench = rig::started(what, repeats);
  for (int n = 0; n < 50 && bench.ending().empty(); ++n)
    bench.answer("b");
  CHECK(bench.ending() == "cancelled: max_turns");
}

TEST_CASE("a policy that throws cancels its session, which says why") {
  auto bench = rig::started(make_spec(protocol::mode::round_robin, {"a", "b"}),
                            throws_later);
  bench.answer("a");
  CHECK(bench.ending() == "cancelled: policy_fault");
  CHECK(bench.lines.back().find("throws: threw nobody is left")
        != std::string::npos);
  CHECK_FALSE(
    replay(bench.lines, [](std::string_view) { return &throws_later; }));
}
