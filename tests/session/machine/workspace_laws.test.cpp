#include <catch2/catch.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/workspace/fold.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// The log of a session in which `b` overrides what `a` wrote.
texts log_of_override() {
  auto what = make_spec(protocol::mode::swarm, {"a", "b"});
  what.options.rounds = 2;
  what.options.conflicts.strategy = conflict_strategy::last_write_wins;
  what.workspace = {{"file", "a", 1}};
  auto bench = rig::started(what, everybody);
  bench.answer("a", with({writes("a", 1, "of a")}));
  bench.answer("b", with({writes("a", 1, "of b"), writes("b", 0, 1)}));
  REQUIRE(bench.ending() == "completed: enough");
  return bench.lines;
}

/// The rules that a log breaks once `from` has become `to` in line `type`.
std::string broken_by(std::string_view type, std::string_view from,
                      std::string_view to) {
  auto lines = log_of_override();
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

TEST_CASE("the log of an override keeps the rules of shared resources") {
  CHECK(broken_laws(log_of_override(), false).empty());
}

TEST_CASE("a log that breaks a rule of shared resources is found out") {
  struct forgery {
    std::string type;
    std::string from;
    std::string to;
    std::string rule;
  };
  const auto c = GENERATE(values<forgery>({
    {"resource_written", R"("version":2)", R"("version":3)",
     "resource_versions_contiguous"},
    {"resource_written", R"("base_version":1)", R"("base_version":7)",
     "resource_versions_contiguous"},
    {"resource_written", R"("participant_id":"a")", R"("participant_id":"b")",
     "write_needs_live_token"},
    {"resource_written", R"("base_version":1)", R"("base_version":0)",
     "override_names_losers"},
    {"MAPConflictResolved", R"("losing_participants":["a"])",
     R"("losing_participants":["b"])", "override_names_losers"},
    {"MAPConflictResolved", R"("winning_participant":"b")",
     R"("winning_participant":"a")", "override_names_losers"},
    {"MAPConflictResolved", R"("overridden_versions":[2])",
     R"("overridden_versions":[1])", "override_names_losers"},
  }));
  INFO(c.from << " becomes " << c.to);
  CHECK(broken_by(c.type, c.from, c.to).find(c.rule) != std::string::npos);
}

TEST_CASE("the fold of a log is the workspace that the session had") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 3;
  what.workspace = {{"file", "a", protocol::json::object{{"x", 1}}},
                    {"file", "gone", 1}};
  auto bench = rig::started(what, solo);
  using op = protocol::write_op;
  bench.answer(
    "a", with({writes("a", 1, protocol::json::object{{"y", 2}}, op::merge),
               writes("a", 2,
                      protocol::json::array{
                        {{"op", "add"}, {"path", "/z"}, {"value", {1, 2}}}},
                      op::patch),
               writes("gone", 1, nullptr, op::remove), writes("b", 0, "new")}));
  bench.answer("a", with({writes("b", 1, 0.5)}));
  bench.answer("a");
  workspace_fold fold;
  for (const auto& e : bench.events)
    REQUIRE(fold.feed(e.whole));
  CHECK(fold.participants() == texts{"a", "b"});
  const auto id = bench.machine().spec().collab.collab_id;
  const auto document
    = make_workspace_document(make_report(bench.take_machine()));
  REQUIRE(document);
  CHECK(
    *document
    == workspace_document(id, fold.resources().view(), fold.participants()));
  CHECK(protocol::json::serialize(document->at("resources"))
        == R"([{"resource_type":"file","resource_id":"a","version":3,)"
           R"("value":{"x":1,"y":2,"z":[1,2]},"participant_id":"a",)"
           R"("turn_number":1},{"resource_type":"file","resource_id":"b",)"
           R"("version":2,"value":5E-1,"participant_id":"a","turn_number":2},)"
           R"({"resource_type":"file","resource_id":"gone","version":2,)"
           R"("deleted":true,"participant_id":"a","turn_number":1}])");
}

TEST_CASE("a session without resources has no workspace document") {
  auto bench = rig::started(make_spec(protocol::mode::round_robin, {"a"}),
                            solo);
  bench.answer("a");
  CHECK_FALSE(make_workspace_document(make_report(bench.take_machine())));
}

TEST_CASE("a fold refuses what no session writes") {
  workspace_fold fold;
  auto fed = [&](protocol::json::object payload) {
    return fold.feed(
      {{"event_type", "resource_written"}, {"payload", std::move(payload)}});
  };
  CHECK(fed({{"resource_type", "file"}, {"resource_id", "a"}}).error().message
        == "no write has this op");
  CHECK(fed({{"resource_type", "file"}, {"resource_id", "a"}, {"op", "delete"}})
          .error()
          .rule
        == "resource_absent");
  CHECK(fed({{"resource_type", ""}, {"resource_id", "a"}, {"op", "put"}})
          .error()
          .rule
        == "resource_name");
  CHECK(fed({{"resource_type", "file"}, {"resource_id", "a"}, {"op", "put"}}));
}
