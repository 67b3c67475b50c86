#include <catch2/catch.hpp>
#include <convene/session/options/application_strategy.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

#include <stdexcept>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::json::object;

namespace {

/// Rules as the later value says: {"rule": ...}.
conflict_ruling as_told(const contested_write& what) {
  const auto* told = what.later != nullptr ? what.later->if_object() : nullptr;
  const auto rule = told != nullptr && told->contains("rule")
                      ? std::string{told->at("rule").as_string()}
                      : std::string{};
  if (rule == "replace")
    return {.outcome = resolution_kind::replace, .reason = "as told"};
  if (rule == "join")
    return {.outcome = resolution_kind::join,
            .reason = "both",
            .joined = object{{"from", what.writer},
                             {"and", what.current_writer},
                             {"of", what.resource_id}}};
  if (rule == "vote")
    return {.outcome = resolution_kind::ask};
  if (rule == "throw")
    throw std::runtime_error{"no idea"};
  if (rule == "long")
    return {.reason = std::string(2'000, 'x')};
  if (rule == "bytes")
    return {.outcome = resolution_kind::replace, .reason = "\xff"};
  if (rule == "nothing")
    return {.outcome = resolution_kind::join};
  if (rule == "bad")
    return {.outcome = resolution_kind::join, .joined = "\xff"};
  return {};
}

constexpr application_strategy told_strategy{
  .name = "as_told", .summary = "as the later value says", .settle = as_told};

spec told_crowd() {
  if (find_strategy("as_told") == nullptr)
    REQUIRE(add_strategy(told_strategy));
  auto made = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  made.options.rounds = 3;
  made.options.conflicts = {.strategy = conflict_strategy::application,
                            .name = "as_told"};
  made.workspace = {{"file", "a", object{{"x", 0}}}};
  return made;
}

const policy_finder told_crowds = [](std::string_view) { return &everybody; };

} // namespace

TEST_CASE("a strategy of the application decides which write stands") {
  const auto [rule, stands, by, reason]
    = GENERATE(table<std::string, std::string, std::string, std::string>(
      {{"keep", R"(a2={"x":1} by a)", "application", "as_told"},
       {"replace", R"(a3={"rule":"replace"} by b)", "application",
        "as_told: as told"},
       {"join", R"(a3={"from":"b","and":"a","of":"a"} by b)", "application",
        "as_told: both"}}));
  auto bench = rig::started(told_crowd(), everybody);
  bench.answer("a", with({writes("a", 1, object{{"x", 1}})}));
  const auto made
    = bench.answer("b", with({writes("a", 1, object{{"rule", rule}})}));
  CHECK(standing(bench.machine()) == texts{stands});
  CHECK(made[1].at("resolution_strategy") == by);
  CHECK(made[1].at("reason") == reason);
  bench.answer("c");
  CHECK(bench.ending() == "completed: enough");
  CHECK(broken_laws(bench.lines, false).empty());
  CHECK_FALSE(replay(bench.lines, told_crowds));
}

TEST_CASE("the first write stands if the application's strategy fails") {
  const auto [rule, why] = GENERATE(table<std::string, std::string>(
    {{"throw", "no idea"},
     {"long", "its reason is longer than 1 KiB"},
     {"bytes", "its reason is not UTF-8"},
     {"nothing", "it joins the values and has no joined value"},
     {"bad", "its joined value is not valid JSON"}}));
  auto bench = rig::started(told_crowd(), everybody);
  bench.answer("a", with({writes("a", 1, 1)}));
  const auto made
    = bench.answer("b", with({writes("a", 1, object{{"rule", rule}})}));
  CHECK(standing(bench.machine()) == texts{"a2=1 by a"});
  CHECK(made[1].at("reason")
        == "as_told failed (" + why + "), so the first write stands");
  CHECK_FALSE(replay(bench.lines, told_crowds));
}

TEST_CASE("a strategy of the application can have the others vote") {
  auto bench = rig::started(told_crowd(), everybody);
  bench.answer("a", with({writes("a", 1, 1)}));
  const auto made
    = bench.answer("b", with({writes("a", 1, object{{"rule", "vote"}})}));
  CHECK(made[0].type == "MAPConflictDetected");
  CHECK(bench.all("MAPConflictResolved").empty());
}

TEST_CASE("a scenario whose strategy the application lacks is refused with the "
          "names that exist") {
  auto what = told_crowd();
  const auto refusal = [&what] {
    const auto made = machine::activate(what, everybody, {});
    return made ? protocol::error{} : made.error();
  };
  what.options.conflicts.name = "as_tole";
  CHECK(refusal().rule == "known_strategy");
  CHECK(refusal().pointer == "/session/conflicts/name");
  CHECK(refusal().message
        == "the application has no conflict strategy \"as_tole\" (did you mean "
           "\"as_told\"?); use one of as_told");
  what.options.conflicts.name.reset();
  CHECK(refusal().rule == "known_strategy");
  what.options.conflicts = {.name = "as_told"};
  CHECK(refusal().rule == "known_strategy");
  what.options.conflicts.by_resource_type
    = {{"file", conflict_strategy::application}};
  CHECK(refusal().rule.empty());
}

TEST_CASE("a strategy whose name is taken or malformed, or that settles "
          "nothing, is refused") {
  const auto rule_of = [](const application_strategy& own) {
    const auto added = add_strategy(own);
    return added ? "" : added.error().rule;
  };
  static_cast<void>(told_crowd());
  static constexpr application_strategy taken{.name = "as_told",
                                              .settle = as_told};
  static constexpr application_strategy odd{.name = "My rule",
                                            .settle = as_told};
  static constexpr application_strategy idle{.name = "idle"};
  CHECK(rule_of(taken) == "strategy_exists");
  CHECK(rule_of(odd) == "strategy_name");
  CHECK(rule_of(idle) == "strategy_settles");
  CHECK(find_strategy("idle") == nullptr);
}
