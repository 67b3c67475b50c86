#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::action_kind;
using protocol::action_status;

// What participants do outside, as the whole machine has it.

namespace {

/// Somebody begins an attempt in what it was last asked.
action_begins begins(rig& on, std::string_view who, std::string position,
                     bool repeatable = true, std::uint32_t attempt = 1) {
  const auto from = on.index(who);
  return {from,
          on.open.at(from).token,
          {.position = std::move(position),
           .kind = action_kind::mcp,
           .name = "files/read",
           .arguments = {{"path", "x"}},
           .repeatable = repeatable},
          attempt};
}

action_ends ends(rig& on, std::string_view who, std::string position,
                 protocol::usage used = {}, std::uint32_t attempt = 1) {
  const auto from = on.index(who);
  return {from,
          on.open.at(from).token,
          std::move(position),
          attempt,
          {.output = "out", .usage = used}};
}

spec two() {
  auto made = make_spec(protocol::mode::swarm, {"a", "b"});
  made.options.rounds = 4;
  made.options.turn_timeout_ms = 1'000;
  made.options.budget.tokens = 10;
  return made;
}

/// Everything that actions can do; `after` is called after each input.
void play(rig& on, const std::function<void()>& after) {
  const auto feed = [&](decltype(input::what) what) {
    on.feed(std::move(what));
    after();
  };
  feed(start{});
  feed(begins(on, "a", "1"));
  on.now += 7;
  feed(ends(on, "a", "1", {.prompt_tokens = 4}));
  feed(begins(on, "a", "1.0", false));
  feed(begins(on, "a", "1.1"));
  feed(begins(on, "b", "1"));
  feed(begins(on, "a", "1.1", true, 2));
  on.answer("b");
  after();
  feed(begins(on, "b", "1"));
  feed(suspend{"lunch"});
  feed(resume{});
  feed(begins(on, "a", "1", true, 2));
  feed(begins(on, "a", "1.0", false, 2));
  feed(begins(on, "a", "1.1", true, 3));
  feed(ends(on, "a", "1.1", {}, 3));
  on.answer("a");
  after();
  for (int n = 0; n < 9 && on.ending().empty(); ++n) {
    on.pass(1'000);
    after();
  }
}

texts log_of_actions() {
  rig on{two(), everybody};
  play(on, [] {});
  REQUIRE(on.ending() == "completed: enough");
  return on.lines;
}

const session::policy_finder find_everybody
  = [](std::string_view name) -> const routing_policy* {
  return name == "everybody" ? &everybody : nullptr;
};

/// The rules that a log breaks once `from` has become `to`, in the first line
/// of this type that has it.
std::string broken_by(std::string_view type, std::string_view from,
                      std::string_view to) {
  auto lines = log_of_actions();
  for (auto& line : lines) {
    const auto at = line.find(from);
    if (line.find(type) == std::string::npos || at == std::string::npos)
      continue;
    line.replace(at, from.size(), to);
    break;
  }
  std::string all;
  for (const auto& broken : broken_laws(lines, false))
    all += broken + "\n";
  return all;
}

} // namespace

TEST_CASE("the log of actions keeps the rules and replays") {
  const auto lines = log_of_actions();
  CHECK(broken_laws(lines, false).empty());
  CHECK_FALSE(replay(lines, find_everybody));
}

TEST_CASE("a session that is restored after each input acts the same") {
  rig once{two(), everybody};
  play(once, [] {});
  rig often{two(), everybody};
  play(often, [&] {
    if (!often.machine().ended())
      often.restore();
  });
  CHECK(often.lines == once.lines);
}

TEST_CASE("the log of actions has digests if the scenario says so") {
  auto what = two();
  what.digests = true;
  rig on{what, everybody};
  play(on, [] {});
  CHECK(broken_laws(on.lines, false).empty());
  CHECK_FALSE(replay(on.lines, find_everybody));
  const auto ended = on.all("action_ended");
  REQUIRE_FALSE(ended.empty());
  for (const auto& each : ended)
    CHECK(each.at("sha256").size() == 64);
  CHECK(on.lines.front().find(R"("spec_sha256":")") != std::string::npos);

  // Nothing else on the log depends on these.
  const auto [from, to] = GENERATE(table<std::string, std::string>(
    {{R"("output":"out")", R"("output":"oat")"},
     {R"("path":"x")", R"("path":"y")"},
     {R"("turn_timeout_ms":1000)", R"("turn_timeout_ms":1001)"},
     {R"("retries":1)", R"("retries":2)"}}));
  auto lines = on.lines;
  for (auto& line : lines)
    if (const auto at = line.find(from); at != line.npos) {
      line.replace(at, from.size(), to);
      break;
    }
  REQUIRE(lines != on.lines);
  std::string all;
  for (const auto& broken : broken_laws(lines, false))
    all += broken + '\n';
  INFO(from);
  CHECK(all.find("digests_match") != std::string::npos);
  CHECK(replay(lines, find_everybody));
}

TEST_CASE("a log of actions that has no digests replays without them") {
  auto what = two();
  what.digests = true;
  rig on{what, everybody};
  play(on, [] {});
  auto lines = on.lines;
  for (auto& line : lines)
    for (const std::string_view name :
         {R"(,"sha256":")", R"(,"spec_sha256":")"})
      if (const auto at = line.find(name); at != line.npos)
        line.erase(at, name.size() + 65);
  CHECK(lines == log_of_actions());
  CHECK_FALSE(replay(lines, find_everybody));
}

TEST_CASE("a log that breaks a rule of actions is found out") {
  struct forgery {
    std::string type;
    std::string from;
    std::string to;
    std::string rule;
  };
  const auto c = GENERATE(values<forgery>({
    {"action_started", R"("position":"1")", R"("position":"9")",
     "actions_end_once"},
    {"action_ended", R"("position":"1")", R"("position":"9")",
     "actions_end_once"},
    {"action_ended", R"("execution_id":")", R"("execution_id":"f)",
     "event_shape"},
    {"action_started", R"("participant_id":"a")", R"("participant_id":"b")",
     "actions_need_request"},
    {"action_started", R"("turn_number":1)", R"("turn_number":2)",
     "actions_need_request"},
    {"action_started", R"("attempt":2)", R"("attempt":3)", "attempts_count_up"},
    {"action_started", R"("path":"x")", R"("path":"y")", ""},
    {"action_started", R"("executor_kind":"tool")", R"("executor_kind":"llm")",
     "actions_end_once"},
    {"action_ended", R"("status":"completed","payload")",
     R"("status":"failed","payload")", "actions_end_once"},
    {"action_ended", R"("prompt_tokens":4)", R"("prompt_tokens":5)",
     "usage_matches"},
    {"action_ended", R"("duration_ms":7)", R"("duration_ms":8)",
     "actions_end_once"},
    {"action_ended", R"("status":"cancelled","error")",
     R"("status":"failed","error")", "actions_end_once"},
    {"action_started", R"("executor_role":"role-a")",
     R"("executor_role":"role-b")", "roles_match"},
    {"usage_recorded", R"("tokens_used":4)", R"("tokens_used":5)",
     "usage_recorded"},
    {"usage_recorded", R"("cumulative_tokens":4)", R"("cumulative_tokens":5)",
     "usage_recorded"},
    {"usage_recorded", R"("cost_usd":0E0)", R"("cost_usd":1E-6)",
     "usage_recorded"},
    {"usage_recorded", R"("cost_usd":0E0)", R"("cost_usd":-1)", "event_shape"},
    {"usage_recorded", R"("tokens":6)", R"("tokens":7)", "usage_recorded"},
    {"usage_recorded", R"("participant_id":"a")", R"("participant_id":"b")",
     "roles_match"},
    {"usage_recorded", R"("tokens_used":4)", R"("model":"m","tokens_used":4)",
     "usage_recorded"},
    {"usage_recorded", "usage_recorded", "budget_exceeded", "usage_recorded"},
  }));
  INFO(c.from << " becomes " << c.to);
  const auto broken = broken_by(c.type, c.from, c.to);
  if (!c.rule.empty())
    CHECK(broken.find(c.rule) != std::string::npos);
}

TEST_CASE("attempts at one position are at one action, by the log's rules") {
  auto lines = log_of_actions();
  int seen = 0;
  for (auto& line : lines)
    if (line.find(R"("position":"1.1")") != std::string::npos
        && line.find("action_started") != std::string::npos && ++seen == 2)
      line.replace(line.find(R"("path":"x")"), 10, R"("path":"y")");
  REQUIRE(seen >= 2);
  const auto broken = broken_laws(lines, false);
  REQUIRE_FALSE(broken.empty());
  CHECK(broken.front().find("attempts_count_up") != std::string::npos);
}

TEST_CASE("an action that uses up the budget leaves its turn to be answered") {
  auto what = two();
  what.options.budget.tokens = 10;
  auto on = rig::started(what, solo);
  on.feed(begins(on, "a", "1"));
  on.feed(ends(on, "a", "1", {.prompt_tokens = 12}));
  on.pass(10);
  on.feed(begins(on, "a", "2"));
  CHECK(on.notices.back().reason == "budget_exhausted");
  CHECK(on.ending().empty());
  on.answer("a", "as far as it went");
  CHECK(on.turns() == texts{"completed"});
  CHECK(on.ending() == "cancelled: budget_tokens");
  CHECK(on.machine().result()->observed == "12");
  const auto told = on.all("budget_exceeded");
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("used") == "12");
  CHECK(broken_laws(on.lines, true).empty());
  CHECK_FALSE(replay(on.lines, [](std::string_view) { return &solo; }));
}

TEST_CASE("nobody else is asked once actions have used up the budget") {
  auto what = two();
  what.options.budget.tokens = 10;
  auto on = rig::started(what, everybody);
  on.feed(begins(on, "a", "1"));
  on.feed(ends(on, "a", "1", {.prompt_tokens = 12}));
  on.answer("b");
  CHECK(on.ending() == "cancelled: budget_tokens");
  CHECK(broken_laws(on.lines, false).empty());
}

TEST_CASE("a fault ends what is under way") {
  auto on = rig::started(two(), everybody);
  on.feed(begins(on, "a", "1"));
  on.feed(begins(on, "b", "1"));
  on.feed(fault{"the disk is full"});
  const auto ended = on.all("action_ended");
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].at("result/error/code") == "session_ended");
  CHECK(on.ending() == "cancelled: fault");
  CHECK_FALSE(replay(on.lines, find_everybody));
}

TEST_CASE("a voter acts, and its vote ends what is under way") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  what.options.rounds = 3;
  what.options.conflicts.strategy = conflict_strategy::voting;
  what.workspace = {{"file", "x", 1}};
  auto on = rig::started(what, everybody);
  on.answer("a", with({writes("x", 1, "of a")}));
  on.answer("b", with({writes("x", 1, "of b")}));
  REQUIRE(on.last().kind == request_kind::vote);
  const auto token = on.last().token;
  const auto voter = on.asked.back().to;
  on.feed(action_begins{voter, token, {.position = "1", .name = "look"}, 1});
  CHECK(on.all("action_started").size() == 1);
  on.feed(session::answer{
    voter,
    token,
    {.vote = protocol::vote{on.last().conflict->conflict_id, "b"}}});
  const auto ended = on.all("action_ended");
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].at("result/error/code") == "answered");
  on.answer("c");
  CHECK(on.ending() == "completed: enough");
  CHECK(broken_laws(on.lines, false).empty());
  CHECK_FALSE(replay(on.lines, find_everybody));
}

TEST_CASE("a fork does not begin again what the recorded session had begun") {
  auto on = rig::started(two(), everybody);
  on.feed(begins(on, "a", "1"));
  on.feed(ends(on, "a", "1"));
  on.feed(begins(on, "a", "1.0"));
  CHECK(on.feed(forked{}).size() == 1);
  CHECK(on.events.back().at("input") == "forked");
  on.feed(begins(on, "a", "1.0", true, 2));
  CHECK(on.notices.back().reason == "outcome_unknown");
  on.feed(begins(on, "a", "2"));
  CHECK(on.notices.back().what == "action_started");
  on.restore();
  on.feed(begins(on, "a", "1.0", true, 2));
  CHECK(on.notices.back().reason == "outcome_unknown");
  on.answer("a");
  on.answer("b");
  on.answer("a");
  on.answer("b");
  CHECK(on.ending() == "completed: enough");
  CHECK(broken_laws(on.lines, false).empty());
  CHECK_FALSE(replay(on.lines, find_everybody));
}

TEST_CASE("a fork of a suspended session does not begin its actions again") {
  auto on = rig::started(two(), everybody);
  on.feed(begins(on, "a", "1"));
  on.feed(suspend{"lunch"});
  CHECK(on.feed(forked{}).size() == 1);
  on.feed(resume{});
  on.feed(begins(on, "a", "1", true, 2));
  CHECK(on.notices.back().reason == "outcome_unknown");
  CHECK_FALSE(replay(on.lines, find_everybody));
}

TEST_CASE("a fork where nothing is under way leaves no trace") {
  auto on = rig::started(two(), everybody);
  CHECK(on.feed(forked{}).empty());
  on.feed(begins(on, "a", "1", false));
  CHECK(on.feed(forked{}).empty());
  CHECK(on.machine().counts().refused == 2);
}

TEST_CASE("by its rules, a fork's log begins nothing again either") {
  auto on = rig::started(two(), everybody);
  on.feed(begins(on, "a", "1.0"));
  on.feed(begins(on, "a", "1.0", true, 2));
  on.answer("a");
  on.answer("b");
  on.answer("a");
  on.answer("b");
  REQUIRE(broken_laws(on.lines, false).empty());
  rig other{two(), everybody};
  other.feed(start{});
  other.feed(begins(other, "a", "1.0"));
  const auto mark = other.feed(forked{});
  REQUIRE(mark.size() == 1);
  // The same log, with the mark of a fork before the second attempt.
  auto forged = on.lines;
  const auto second = std::ranges::find_if(forged, [](const auto& line) {
    return line.find(R"("attempt":2)") != std::string::npos;
  });
  forged.insert(second, other.lines.back());
  std::string all;
  for (const auto& broken : broken_laws(forged, false))
    all += broken + "\n";
  CHECK(all.find("attempts_count_up") != std::string::npos);
}

TEST_CASE("what replies and actions used is known of each participant") {
  auto on = rig::started(two(), everybody);
  on.feed(begins(on, "a", "1"));
  on.feed(ends(on, "a", "1", {.prompt_tokens = 1, .cost_microusd = 2}));
  on.answer("a", {.usage = {.completion_tokens = 3}});
  on.answer("b");
  on.restore();
  on.answer("a", {.usage = {.completion_tokens = 1}});
  CHECK(on.machine().used_by()
        == usage_by_participant{{on.index("a"), {1, 4, 2}}});
  CHECK(on.machine().counts().usage == protocol::usage{1, 4, 2});
}
