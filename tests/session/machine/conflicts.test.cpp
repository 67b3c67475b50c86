#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::json::object;
using enum conflict_strategy;

namespace {

/// Everybody has a turn at once, and all see "a" at version 1: {x:0, y:0}.
spec crowd(conflict_strategy how,
           std::map<std::string, std::int64_t> ranks = {},
           const std::vector<std::string>& names = {"a", "b", "c"}) {
  auto made = make_spec(protocol::mode::swarm, names);
  made.options.rounds = static_cast<std::int64_t>(names.size());
  made.options.conflicts = {.strategy = how, .ranks = std::move(ranks)};
  made.workspace = {{"file", "a", object{{"x", 0}, {"y", 0}}}};
  return made;
}

const policy_finder crowds = [](std::string_view) { return &everybody; };

struct winner_case {
  conflict_strategy strategy;
  std::map<std::string, std::int64_t> ranks;
  object first;  ///< what `a` puts
  object second; ///< what `b` puts, on the same version
  std::string stands;
  std::string settled_by;
};

const object x1{{"x", 1}, {"y", 0}};
const object x2{{"x", 2}, {"y", 0}};
const object y2{{"x", 0}, {"y", 2}};
const std::string first_stands = R"(a2={"x":1,"y":0} by a)";
const std::string second_stands = R"(a3={"x":2,"y":0} by b)";
const std::string second_y_stands = R"(a3={"x":0,"y":2} by b)";
const std::string both_stand = R"(a3={"x":1,"y":2} by b)";

} // namespace

TEST_CASE("the same two writes have another winner by another strategy") {
  const auto c = GENERATE(values<winner_case>({
    {hierarchy, {}, x1, x2, first_stands, "first-write-wins"},
    {hierarchy, {{"b", 1}}, x1, x2, second_stands, "hierarchy"},
    {hierarchy, {{"role-b", 1}}, x1, x2, second_stands, "hierarchy"},
    {hierarchy, {{"a", 1}}, x1, x2, first_stands, "hierarchy"},
    {hierarchy, {{"a", -1}}, x1, x2, second_stands, "hierarchy"},
    {hierarchy, {{"a", 2}, {"b", 2}}, x1, x2, first_stands, "first-write-wins"},
    {last_write_wins, {}, x1, x2, second_stands, "last-write-wins"},
    {last_write_wins, {{"a", 9}}, x1, y2, second_y_stands, "last-write-wins"},
    {first_write_wins, {{"b", 9}}, x1, x2, first_stands, "first-write-wins"},
    {merge, {}, x1, y2, both_stand, "merge"},
    {merge, {}, x1, x2, first_stands, "first-write-wins"},
    {merge, {{"b", 1}}, x1, x2, second_stands, "hierarchy"},
  }));
  INFO(protocol::to_word(c.strategy));
  auto bench = rig::started(crowd(c.strategy, c.ranks), everybody);
  bench.answer("a", with({writes("a", 1, c.first)}));
  const auto made = bench.answer("b", with({writes("a", 1, c.second)}));
  CHECK(standing(bench.machine()) == texts{c.stands});
  CHECK(made[0].type == "MAPConflictDetected");
  CHECK(made[0].at("conflicting_participants") == R"(["b","a"])");
  CHECK(made[1].type == "MAPConflictResolved");
  CHECK(made[1].at("resolution_strategy") == c.settled_by);
  CHECK(made[1].at("conflict_id") == made[0].at("conflict_id"));

  const bool merged = c.settled_by == "merge";
  const bool kept = c.stands == first_stands;
  CHECK(made[1].at("winning_participant") == (merged ? "" : kept ? "a" : "b"));
  CHECK(made[1].at("losing_participants")
        == (merged ? ""
            : kept ? R"(["b"])"
                   : R"(["a"])"));
  CHECK(told(bench, "b").size() == (kept ? 1 : 0));
  CHECK(told(bench, "a").size() == (kept || merged ? 0 : 1));
  if (!kept) {
    CHECK(made[2].type == "resource_written");
    CHECK(made[2].at("conflict_id") == made[0].at("conflict_id"));
    CHECK(made[2].at("base_version") == "1");
    CHECK(made[2].at("version") == "3");
    // What was overridden is still there.
    const auto before = bench.machine().workspace().at({"file", "a"}, 2);
    REQUIRE(before);
    CHECK(before->value == c.first);
  }
  if (!kept && !merged)
    CHECK(made[1].at("overridden_versions") == "[2]");
  bench.answer("c");
  CHECK(bench.ending() == "completed: enough");
  CHECK(broken_laws(bench.lines, false).empty());
  CHECK_FALSE(replay(bench.lines, crowds));
}

TEST_CASE("a resource type can have a strategy of its own") {
  auto what = crowd(first_write_wins);
  what.options.conflicts.by_resource_type = {{"doc", last_write_wins}};
  what.workspace.push_back({"doc", "d", 0});
  auto bench = rig::started(what, everybody);
  auto both = [](int value) {
    return with(
      {writes("a", 1, value), {"doc", "d", 1, protocol::write_op::put, value}});
  };
  bench.answer("a", both(1));
  bench.answer("b", both(2));
  CHECK(standing(bench.machine()) == texts{"d3=2 by b", "a2=1 by a"});
}

TEST_CASE("an override must outrank everybody whose write it replaces") {
  auto bench = rig::started(crowd(hierarchy, {{"a", 5}, {"b", 1}, {"c", 3}}),
                            everybody);
  bench.answer("a", with({writes("a", 1, 1)}));
  bench.answer("b", with({writes("a", 2, 2)}));
  bench.answer("c", with({writes("a", 1, 3)}));
  CHECK(standing(bench.machine()) == texts{"a3=2 by b"});
  const auto conflict = bench.all("MAPConflictDetected")[0];
  CHECK(conflict.at("conflicting_participants") == R"(["c","a","b"])");
}

TEST_CASE("an override names everybody who loses by it") {
  auto bench = rig::started(crowd(last_write_wins), everybody);
  bench.answer("a", with({writes("a", 1, 1)}));
  bench.answer("b", with({writes("a", 2, 2)}));
  bench.answer("c", with({writes("a", 1, 3)}));
  CHECK(standing(bench.machine()) == texts{"a4=3 by c"});
  const auto how = bench.all("MAPConflictResolved")[0];
  CHECK(how.at("losing_participants") == R"(["a","b"])");
  CHECK(how.at("overridden_versions") == "[2,3]");
  CHECK(told(bench, "a") == texts{"write_overridden: file a"});
  CHECK(told(bench, "b") == texts{"write_overridden: file a"});
}

TEST_CASE("a patch that clashes is carried out on the version it knew") {
  auto bench = rig::started(crowd(last_write_wins), everybody);
  bench.answer("a", with({writes("a", 1, 7)}));
  bench.answer(
    "b", with({writes("a", 1, object{{"x", 2}}, protocol::write_op::merge)}));
  CHECK(standing(bench.machine()) == texts{R"(a3={"x":2,"y":0} by b)"});
  const auto logged = bench.all("resource_written").back();
  CHECK(logged.at("op") == "put");
  CHECK(logged.at("value") == R"({"x":2,"y":0})");
}

TEST_CASE("a deletion can win and lose like any write") {
  const auto how = GENERATE(last_write_wins, first_write_wins, merge);
  auto bench = rig::started(crowd(how), everybody);
  bench.answer("a", with({writes("a", 1, 7)}));
  bench.answer("b",
               with({writes("a", 1, nullptr, protocol::write_op::remove)}));
  CHECK(standing(bench.machine())
        == (how == last_write_wins ? texts{"a3=deleted by b"}
                                   : texts{"a2=7 by a"}));
}

TEST_CASE("a base version that is forgotten can override nothing") {
  auto what = crowd(last_write_wins, {}, {"a", "b"});
  what.options.rounds = 60;
  auto long_one = rig::started(what, solo);
  for (std::int64_t n = 1; n <= 40; ++n)
    long_one.answer("a", with({writes("a", n, n)}));
  REQUIRE_FALSE(long_one.machine().workspace().at({"file", "a"}, 1));
  long_one.answer("a", with({writes("a", 1, "late")}));
  CHECK(standing(long_one.machine()) == texts{"a41=40 by a"});
  CHECK(long_one.all("MAPConflictResolved").back().at("reason")
        == "the base version is no longer kept");
}

TEST_CASE("a thousand writes of one version have one winner, the rest told") {
  std::vector<std::string> names;
  for (int n = 0; n < 1000; ++n)
    names.push_back("p" + std::to_string(n));
  const auto how = GENERATE(hierarchy, first_write_wins, last_write_wins);
  auto bench = rig::started(crowd(how, {}, names), everybody);
  for (const auto& name : names)
    bench.answer(name, with({writes("a", 1, protocol::json::string{name})}));
  CHECK(bench.ending() == "completed: enough");
  CHECK(bench.machine().counts().conflicts == 999);
  const bool last = how == last_write_wins;
  CHECK(
    standing(bench.machine())
    == (last ? texts{R"(a1001="p999" by p999)"} : texts{R"(a2="p0" by p0)"}));
  std::size_t losers = 0;
  for (const auto& name : names)
    losers += told(bench, name).empty() ? 0 : 1;
  CHECK(losers == 999);
}

TEST_CASE("a role's capabilities are a closed list of what it may write") {
  struct permission_case {
    std::optional<std::vector<std::string>> capabilities;
    std::string type;
    bool allowed;
  };
  const auto c = GENERATE(values<permission_case>({
    {std::nullopt, "file", true},
    {texts{}, "file", false},
    {texts{"file.write"}, "file", true},
    {texts{"file.write"}, "doc", false},
    {texts{"file.*"}, "file", true},
    {texts{"file.*"}, "files", false},
    {texts{"*"}, "anything", true},
    {texts{"file.read", "plan.create"}, "file", false},
    {texts{"file.writer"}, "file", false},
    {texts{"file"}, "file", false},
    {texts{"doc.page.write"}, "doc.page", true},
    {texts{"doc.*"}, "doc.page", false},
  }));
  auto what = crowd(last_write_wins);
  what.roles = {{.role_id = id(9), .name = "role-a"}};
  what.roles[0].capabilities = c.capabilities;
  auto bench = rig::started(what, solo);
  const auto made
    = bench.answer("a", with({{c.type, "new", 0, protocol::write_op::put, 1}}));
  CHECK(bench.machine().workspace().version_of({c.type, "new"})
        == (c.allowed ? 1 : 0));
  if (!c.allowed) {
    CHECK(made[0].at("conflict_type") == "permission_denied");
    CHECK(made[1].at("resolution_strategy") == "reject");
    CHECK(told(bench, "a")
          == texts{"write_refused: permission_denied: " + c.type + " new"});
  }
}

TEST_CASE("a write that is not permitted stays out, whatever its base") {
  auto what = crowd(last_write_wins, {}, {"a", "b"});
  what.roles = {{.role_id = id(9), .name = "role-b"}};
  what.roles[0].capabilities = texts{"doc.write"};
  auto bench = rig::started(what, everybody);
  bench.answer("a", with({writes("a", 1, 1)}));
  bench.answer("b", with({writes("a", 1, 2), writes("a", 2, 3)}));
  CHECK(standing(bench.machine()) == texts{"a2=1 by a"});
  CHECK(broken_laws(bench.lines, false).empty());
  CHECK_FALSE(replay(bench.lines, crowds));
}
