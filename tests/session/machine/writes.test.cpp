#include <catch2/catch.hpp>
#include <convene/session/workspace/size.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::write_op;

namespace {

/// A turn-taking session of `a` with one resource, "a", of value 1.
spec one_file(std::int64_t rounds = 3) {
  auto made = make_spec(protocol::mode::round_robin, {"a", "b"});
  made.options.rounds = rounds;
  made.options.turn_timeout_ms = 1000;
  made.workspace = {{"file", "a", 1}};
  return made;
}

/// The types of the events that are not MAP's, with their operation.
texts acts(const std::vector<event>& events) {
  texts all;
  for (const auto& e : events)
    all.push_back(e.type);
  return all;
}

const policy_finder solos = [](std::string_view) { return &solo; };

} // namespace

TEST_CASE("what a scenario's workspace has is there at version 1") {
  auto bench = rig::started(one_file(), solo);
  CHECK(standing(bench.machine()) == texts{"a1=1"});
  CHECK(bench.all("workspace_opened")[0].at("resources") == "1");
  CHECK(bench.last().workspace.find({"file", "a"})->value == 1);
}

TEST_CASE("the writes of a reply are carried out in order, before it closes") {
  auto bench = rig::started(one_file(), solo);
  const auto token = to_string(bench.last().token);
  const auto made
    = bench.answer("a", with({writes("a", 1, 2), writes("b", 0, "new"),
                              writes("a", 2, {{"x", 1}}),
                              writes("a", 3, {{"y", 2}}, write_op::merge)}));
  REQUIRE(made.size() >= 5);
  CHECK(
    texts{made[0].type, made[1].type, made[2].type, made[3].type, made[4].type}
    == texts{"resource_written", "resource_written", "resource_written",
             "resource_written", "MAPTurnCompleted"});
  CHECK(standing(bench.machine())
        == texts{R"(a4={"x":1,"y":2} by a)", R"(b1="new" by a)"});
  const auto& update = made[0];
  CHECK(update.whole.at("update_kind") == "node_update");
  CHECK(update.whole.at("node_delta") == 0);
  CHECK(update.at("version") == "2");
  CHECK(update.at("base_version") == "1");
  CHECK(update.at("value") == "2");
  CHECK(update.at("participant_id") == "a");
  CHECK(update.at("turn_number") == "1");
  CHECK(update.at("token_id") == token);
  CHECK(made[1].whole.at("update_kind") == "node_add");
  CHECK(made[3].at("op") == "merge");
  CHECK(made[3].at("value") == R"({"y":2})");
}

TEST_CASE("a deletion leaves a version, and what comes back counts on") {
  auto bench = rig::started(one_file(), solo);
  bench.answer("a", with({writes("a", 1, nullptr, write_op::remove)}));
  CHECK(standing(bench.machine()) == texts{"a2=deleted by a"});
  CHECK(bench.events.at(bench.events.size() - 3).whole.at("node_delta") == -1);
  CHECK(bench.last().workspace.resources().empty());
  bench.answer("a", with({writes("a", 2, 5)}));
  CHECK(standing(bench.machine()) == texts{"a3=5 by a"});
}

TEST_CASE("a request shows the workspace and what is new to its receiver") {
  auto bench = rig::started(one_file(9), solo);
  CHECK(bench.last().workspace_since == 0);
  bench.answer("a", with({writes("b", 0, 1)}));
  const auto& second = bench.last();
  CHECK(second.workspace.resources().size() == 2);
  CHECK(second.workspace_since == 1);
  const auto news = second.workspace.changes(second.workspace_since);
  REQUIRE(news.size() == 1);
  CHECK(news[0]->key->id == "b");
  bench.answer("a");
  CHECK(bench.last().workspace_since == 2);
}

TEST_CASE("a reply that does not complete writes nothing, and is told so") {
  auto bench = rig::started(one_file(), solo);
  auto reply = fails();
  reply.writes = {writes("a", 1, 2)};
  bench.answer("a", reply);
  CHECK(standing(bench.machine()) == texts{"a1=1"});
  CHECK(told(bench, "a")
        == texts{"writes_ignored: the reply did not complete"});
}

TEST_CASE("a write that cannot be carried out changes nothing and is logged") {
  const auto [write, code]
    = GENERATE(table<protocol::resource_write, std::string>({
      {writes("a", 7, 2), "base_version_unknown"},
      {writes("b", 1, 2), "base_version_unknown"},
      {writes("b", 0, nullptr, write_op::remove), "resource_absent"},
      {writes("a", 1, protocol::json::array{1}, write_op::patch),
       "patch_syntax"},
      {writes(std::string(1025, 'x'), 0, 2), "resource_name"},
    }));
  auto bench = rig::started(one_file(), solo);
  const auto made = bench.answer("a", with({write}));
  CHECK(made[0].type == "write_refused");
  CHECK(made[0].at("error/code") == code);
  CHECK(made[1].type == "MAPTurnCompleted");
  CHECK(made[1].at("status") == "completed");
  CHECK(standing(bench.machine()) == texts{"a1=1"});
  CHECK(told(bench, "a").size() == 1);
}

TEST_CASE("a write on a version that no longer stands is a conflict") {
  auto bench = rig::started(one_file(), solo);
  const auto made = bench.answer("a", with({writes("a", 0, 5)}));
  CHECK(
    acts({made.begin(), made.begin() + 3})
    == texts{"MAPConflictDetected", "MAPConflictResolved", "MAPTurnCompleted"});
  CHECK(made[0].at("conflict_type") == "concurrent_modification");
  CHECK(made[0].at("resource_id") == "a");
  CHECK(made[0].at("details/current_version") == "1");
  CHECK(made[1].at("losing_participants") == R"(["a"])");
  CHECK(standing(bench.machine()) == texts{"a1=1"});
  CHECK(told(bench, "a")
        == texts{"write_refused: concurrent_modification: "
                 "file a"});
}

TEST_CASE("a write in the middle of a turn counts with the turn's token") {
  auto bench = rig::started(one_file(), solo);
  const auto token = bench.last().token;
  const auto made
    = bench.feed(write_attempt{bench.index("a"), token, writes("a", 1, 2)});
  REQUIRE(made.size() == 1);
  CHECK(made[0].type == "resource_written");
  CHECK(made[0].at("input") == "write");
  CHECK(made[0].at("turn_number") == "1");
  CHECK(standing(bench.machine()) == texts{"a2=2 by a"});
  CHECK(bench.turns().empty());
  bench.answer("a", with({writes("a", 2, 3)}));
  CHECK(standing(bench.machine()) == texts{"a3=3 by a"});
}

TEST_CASE("nobody writes without a live token of its own") {
  auto bench = rig::started(one_file(), solo);
  const auto live = bench.last().token;
  auto attempts = [&](std::string_view who, const protocol::uuid& token) {
    const auto made
      = bench.feed(write_attempt{bench.index(who), token, writes("a", 1, 2)});
    REQUIRE(made.size() == 2);
    CHECK(made[0].at("resource_type") == "file");
    CHECK(made[0].at("resource_id") == "a");
    CHECK(made[0].at("conflicting_participants").find(who)
          != std::string::npos);
    CHECK(made[1].type == "MAPConflictResolved");
    CHECK(made[1].at("resolution_strategy") == "reject");
    CHECK(told(bench, who).back()
          == "write_refused: " + made[0].at("conflict_type") + ": file a");
    return made[0].at("conflict_type");
  };
  CHECK(attempts("b", live) == "exclusive_write_violation");
  CHECK(attempts("b", {1, 2}) == "exclusive_write_violation");
  CHECK(attempts("a", {1, 2}) == "exclusive_write_violation");
  bench.pass(1000);
  CHECK(bench.turns() == texts{"timed_out"});
  CHECK(attempts("a", live) == "stale_token");
  CHECK(standing(bench.machine()) == texts{"a1=1"});
}

TEST_CASE("of a thousand attempts to write only the token's holder succeeds") {
  constexpr participant_index all = 1000;
  texts names;
  for (participant_index who = 0; who < all; ++who)
    names.push_back("p" + std::to_string(who));
  auto what = make_spec(protocol::mode::round_robin, names);
  what.workspace = {{"file", "a", 1}};
  auto bench = rig::started(what, solo);
  // Everybody has got hold of the holder's token; it is in the middle.
  const auto token = bench.last().token;
  const auto holder = bench.asked.back().to;
  REQUIRE(holder == 0);
  // The holder itself has to show it, not another one.
  CHECK(bench.feed(write_attempt{holder, {1, 2}, writes("a", 1, 7)})[0].at(
          "conflict_type")
        == "exclusive_write_violation");
  texts refused;
  for (participant_index n = 0; n < all; ++n) {
    const auto who = (n + all / 2) % all;
    const auto made
      = bench.feed(write_attempt{who, token, writes("a", 1, who)});
    REQUIRE_FALSE(made.empty());
    if (who == holder)
      CHECK(acts(made) == texts{"resource_written"});
    else
      refused.push_back(made[0].type + ' ' + made[0].at("conflict_type"));
  }
  CHECK(refused
        == texts(all - 1, "MAPConflictDetected exclusive_write_violation"));
  CHECK(standing(bench.machine()) == texts{"a2=0 by p0"});
  CHECK_FALSE(replay(bench.lines, solos));
}

TEST_CASE("a write with the token of a turn that was cancelled is stale") {
  auto bench = rig::started(one_file(5), everybody);
  const auto token = bench.open.at(0).token;
  bench.feed(session::suspend{"pause"});
  const auto made = bench.feed(write_attempt{0, token, writes("a", 1, 2)});
  CHECK(made[0].at("conflict_type") == "stale_token");
  CHECK(standing(bench.machine()) == texts{"a1=1"});
}

TEST_CASE("who attempts too often loses the turn, and more is only counted") {
  auto bench = rig::started(one_file(), solo);
  for (int n = 0; n < 20; ++n)
    bench.feed(write_attempt{bench.index("a"), {1, 2}, writes("a", 1, 2)});
  REQUIRE_FALSE(bench.turns().empty());
  CHECK(bench.turns()[0] == "failed");
  CHECK(bench.machine().counts().refused > 0);
  CHECK(standing(bench.machine()) == texts{"a1=1"});
  CHECK_FALSE(replay(bench.lines, solos));
}

TEST_CASE("a write that is no write is only counted") {
  auto bench = rig::started(one_file(), solo);
  const auto token = bench.last().token;
  CHECK(bench.feed(write_attempt{7, token, writes("a", 1, 2)}).empty());
  CHECK(bench.feed(write_attempt{0, token, writes("", 1, 2)}).empty());
  CHECK(bench.feed(write_attempt{0, token, writes("a", -1, 2)}).empty());
  CHECK(bench.machine().counts().refused == 3);
}

TEST_CASE("a log gives its session's workspace back, byte for byte") {
  auto bench = rig::started(one_file(4), solo);
  const auto token = bench.last().token;
  bench.feed(write_attempt{0, token, writes("m", 0, "mid")});
  bench.feed(write_attempt{0, token, writes("m", 0, "late")});
  bench.feed(write_attempt{0, token, writes("m", 9, "far")});
  bench.feed(write_attempt{1, token, writes("m", 1, "not mine")});
  bench.answer("a",
               with({writes("a", 1, 2), writes("a", 1, 3), writes("a", 9, 3),
                     writes("a", 2, nullptr, write_op::remove)}));
  bench.answer("a", "nothing to write");
  while (bench.ending().empty())
    bench.answer("a", with({writes("n", 0, bench.machine().counts().turns)}));
  CHECK(broken_laws(bench.lines, true).empty());

  session::replayer again{solos};
  std::size_t number = 0;
  for (const auto& line : bench.lines)
    REQUIRE_FALSE(again.feed(++number, parse_event(line).whole, line));
  REQUIRE_FALSE(again.finish());
  CHECK(standing(*again.session()) == standing(bench.machine()));
  CHECK(again.session()->workspace().view()
        == bench.machine().workspace().view());
}

TEST_CASE("a log whose writes have no reply behind them is not replayed") {
  auto bench = rig::started(one_file(1), solo);
  bench.answer("a", with({writes("a", 1, 2)}));
  auto forged = bench.lines;
  const auto at = std::find_if(forged.begin(), forged.end(), [](auto& line) {
    return line.find("resource_written") != std::string::npos;
  });
  REQUIRE(at != forged.end());
  const auto line = *at;
  forged.insert(at, 2000, line);
  REQUIRE(replay(forged, solos));
  forged = bench.lines;
  forged.erase(std::find(forged.begin(), forged.end(), line) + 1, forged.end());
  REQUIRE(replay(forged, solos));
}

TEST_CASE("a session does not start with resources it has no room for") {
  auto refusal = [](std::vector<initial_resource> all) {
    auto what = one_file();
    what.workspace = std::move(all);
    const auto made = machine::activate(what, solo, {});
    return made ? std::string{} : made.error().rule;
  };
  CHECK(refusal({{"file", "a", 1}, {"doc", "a", 1}}) == "");
  CHECK(refusal({{"file", "a", 1}, {"file", "a", 1}}) == "unique_resource");
  CHECK(refusal({{std::string(129, 'x'), "a", 1}}) == "resource_name");
  CHECK(
    refusal({{"file", "a", protocol::json::string(value_bytes_max + 1, 'x')}})
    == "value_bytes_max");
}
