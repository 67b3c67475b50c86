#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/session/replay/replayer.hpp>
#include <protocol/boundary/other_schemas.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

constexpr std::uint32_t seeds = 40;

/// Hands everything on, counts, and looks at each line that passed as values.
class watched_gate final : public protocol::judging_gate<watched_gate> {
public:
  explicit watched_gate(const protocol::event_gate& real) : real_(real) {}

  mutable std::size_t passed = 0;
  mutable std::size_t looked_at = 0; ///< as values
  mutable std::size_t refused = 0;   ///< lines
  mutable std::string wrongly_passed;

  [[nodiscard]] std::string refusal(std::string_view line) const override {
    auto why = real_.refusal(line);
    refused += why.empty() ? 0 : 1;
    return why;
  }

  /// Scenarios pass only with more tasks than these sessions have.
  [[nodiscard]] bool judge(const protocol::event_head& head,
                           const protocol::map_session_started& event) const {
    return real_.passes(head, event);
  }
  template <class Event>
  [[nodiscard]] bool
  judge(const protocol::event_head& head, const Event& event) const {
    ++looked_at;
    if (!real_.passes(head, event))
      return false;
    ++passed;
    protocol::byte_buffer line;
    encode(line, head, event);
    if (const auto why = real_.refusal(line.view()); !why.empty())
      wrongly_passed = why;
    return true;
  }

private:
  const protocol::event_gate& real_;
};

std::shared_ptr<const protocol::boundary::rules> embedded() {
  return protocol::boundary::embedded_rules().value();
}

/// What replaying the log says; empty: it came out the same.
std::string replayed(const std::vector<std::string>& lines) {
  session::replayer again{
    [](std::string_view name) { return modes::find(name); }};
  std::size_t number = 0;
  for (const auto& line : lines)
    if (const auto d = again.feed(++number, protocol::parse_json(line).value(),
                                  line))
      return std::to_string(d->line) + ": " + d->message + "\n" + d->expected
             + "\n" + d->actual;
  const auto end = again.finish();
  return end ? end->message : std::string{};
}

/// A session of three with a plan in the mode, run to its end.
rig run_to_end(const session::routing_policy& policy,
               const protocol::event_gate* gate) {
  auto spec = make_spec(*protocol::from_word<protocol::mode>(policy.name),
                        {"a", "b"});
  spec.options.rounds = 3;
  rig bench{std::move(spec), policy, gate};
  bench.feed(session::start{});
  for (int n = 0; n < 100 && !bench.machine().ended(); ++n)
    for (const std::string who : {"a", "b"})
      if (bench.open.contains(bench.index(who)))
        bench.answer(who);
  return bench;
}

} // namespace

TEST_CASE("a gate changes nothing in sessions whose events are good") {
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const bool acts = seed % 2 == 0;
      const auto without = run_random_session(*policy, seed, nullptr, acts);
      for (const auto* gate :
           {embedded()->gate.get(), embedded()->every_line_gate.get()}) {
        const auto with = run_random_session(*policy, seed, gate, acts);
        CHECK(with.lines == without.lines);
        CHECK(with.broken == without.broken);
      }
    }
}

TEST_CASE("nearly all events that sessions are full of pass as values") {
  const watched_gate gate{*embedded()->gate};
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed)
      static_cast<void>(run_random_session(*policy, seed, &gate));
  CHECK(gate.looked_at > 1'000);
  CHECK(gate.passed == gate.looked_at);
  CHECK(gate.wrongly_passed.empty());
}

TEST_CASE("what passes as values is valid as a line, whatever schemas ask") {
  const auto dispatched = payload_of("MAPTurnDispatched");
  const auto completed = payload_of("MAPTurnCompleted");
  const auto written = payload_of("resource_written");
  const auto [pointer, text] = GENERATE_COPY(table<std::string, std::string>(
    {{dispatched + "/properties/turn_number/maximum", "3"},
     {dispatched + "/properties/turn_number/multipleOf", "2"},
     {dispatched + "/properties/turn_number/exclusiveMaximum", "3"},
     {dispatched + "/properties/participant_id/maxLength", "1"},
     {dispatched + "/properties/participant_id/pattern", R"("^[a-c]")"},
     {dispatched + "/properties/participant_id/enum", R"(["c", "e"])"},
     {dispatched + "/properties/task/minLength", "10"},
     {dispatched + "/properties/task/const", R"("the task")"},
     {dispatched + "/properties/duty/type", R"("integer")"},
     {dispatched + "/required/0", R"("step_id")"},
     {dispatched + "/dependencies", R"({"step_id": ["duty"]})"},
     {dispatched + "/maxProperties", "7"},
     {dispatched + "/allOf",
      R"([{"if": {"properties": {"turn_number": {"maximum": 1}}},
            "else": {"properties": {"task": {"maxLength": 3}}}}])"},
     {dispatched + "/not", R"({"properties": {"turn_number": {"const": 2}}})"},
     {dispatched + "/anyOf", R"([{"properties": {"task": {"const": "x"}}}])"},
     {dispatched + "/properties/token_id",
      R"({"type": "string", "pattern": "^[0-7]"})"},
     {dispatched + "/properties/expires_at",
      R"({"type": "string", "pattern": "[02468]Z$"})"},
     {completed + "/properties/status/enum", R"(["completed"])"},
     {completed + "/properties/duration_ms/maximum", "0"},
     {completed + "/properties/output_summary/maxLength", "2"},
     {completed + "/properties/result/properties/status/enum", R"(["failed"])"},
     {completed + "/allOf",
      R"([{"properties": {"role_id": {"maxLength": 6}}}])"},
     {"/definitions/error/properties/code/pattern", R"("^[a-m]")"},
     {payload_of("MAPBroadcastSent")
        + "/properties/target_participants/maxItems",
      "2"},
     {payload_of("MAPBroadcastSent")
        + "/properties/target_participants/items/pattern",
      R"("^[a-d]")"},
     {payload_of("MAPBroadcastReceived") + "/properties/status/enum",
      R"(["completed"])"},
     {"/definitions/time/pattern", R"("[13579]Z$")"},
     {written + "/properties/version/maximum", "1"},
     {written + "/properties/base_version/enum", "[0, 2]"},
     {written + "/properties/op/enum", R"(["merge", "delete"])"},
     {written + "/properties/value/type", R"("string")"},
     {written + "/properties/participant_id/pattern", R"("^[a-b]")"},
     {written + "/properties/token_id",
      R"({"type": "string", "pattern": "^[0-7]"})"},
     {written + "/required/0", R"("turn_number")"},
     {written + "/maxProperties", "8"},
     {"/definitions/resource_written/properties/node_delta/maximum", "0"},
     {"/definitions/step_status_changed/properties/stage_order/maximum", "1"},
     {payload_of("step_status_changed") + "/properties/to_status/enum",
      R"(["in_progress"])"}}));
  INFO(pointer << " = " << text);
  const auto rules = changed_rules(pointer, text);
  const watched_gate gate{*rules->gate};
  std::size_t changed = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds / 4; ++seed) {
      gate.refused = 0;
      const bool acts = seed % 2 == 0;
      const auto log = run_random_session(*policy, seed, &gate, acts);
      for (const auto& line : log.lines) {
        INFO(line);
        CHECK(rules->gate->refusal(line + '\n') == "");
      }
      const auto whole = run_random_session(*policy, seed, nullptr, acts);
      changed += log.lines == whole.lines ? 0 : 1;
      // Unless what closes the session is refused as well, which no log tells.
      if (!log.lines.empty() && gate.refused <= 1)
        CHECK(replayed(log.lines) == "");
    }
  CHECK(gate.wrongly_passed == "");
  CHECK(changed > 0);
}

TEST_CASE("a session with an event that is refused ends without it") {
  const auto rules = changed_rules(
    payload_of("MAPTurnDispatched") + "/properties/turn_number/maximum", "3");
  const bool every_line = GENERATE(false, true);
  const auto* gate = every_line ? rules->every_line_gate.get()
                                : rules->gate.get();
  const auto bench = run_to_end(*modes::find("round_robin"), gate);
  CHECK(bench.ending() == "cancelled: fault");
  CHECK(bench.turns() == texts{"completed", "completed", "cancelled"});
  CHECK(bench.all("MAPTurnDispatched").size() == 3);
  const auto end = bench.all("MAPSessionCompleted");
  REQUIRE(end.size() == 1);
  CHECK(end[0].at("turns_total") == "3");
  CHECK(end[0].at("stop_reason/condition") == "fault");
  CHECK(end[0].at("stop_reason/observed")
        == "MAPTurnDispatched: /payload/turn_number: expected at most 3, found "
           "4 (maximum) by schema /allOf/2/then/$ref/properties/payload/"
           "properties/turn_number/maximum");
  CHECK(replayed(bench.lines) == "");
}

TEST_CASE("an answer whose event is refused never was") {
  const auto rules = changed_rules(payload_of("MAPTurnCompleted")
                                     + "/properties/output_summary/maxLength",
                                   "4");
  auto spec = make_spec(protocol::mode::round_robin, {"a", "b"});
  spec.options.rounds = 3;
  rig bench{std::move(spec), *modes::find("round_robin"), rules->gate.get()};
  bench.feed(session::start{});
  bench.answer("a", protocol::reply{.content = "good", .usage = {1, 2, 3}});
  bench.answer("b", protocol::reply{.content = "too long", .usage = {9, 9, 9}});
  CHECK(bench.ending() == "cancelled: fault");
  CHECK(bench.turns() == texts{"completed", "cancelled"});
  CHECK(bench.machine().counts().turns == 2);
  CHECK(bench.machine().counts().usage == protocol::usage{1, 2, 3});
  CHECK(replayed(bench.lines) == "");
}

TEST_CASE("a session whose first event is refused leaves no log") {
  const auto rules = changed_rules(
    payload_of("MAPSessionStarted") + "/properties/title/const", R"("other")");
  const auto bench = run_to_end(*modes::find("pair"), rules->gate.get());
  CHECK(bench.ending() == "cancelled: fault");
  CHECK(bench.lines.empty());
}

TEST_CASE("even the last event is left out if it is refused") {
  const auto rules = changed_rules(
    payload_of("MAPSessionCompleted") + "/properties/turns_total/maximum", "1");
  const auto bench = run_to_end(*modes::find("pair"), rules->gate.get());
  CHECK(bench.ending() == "cancelled: fault");
  CHECK(bench.all("MAPSessionCompleted").empty());
}
