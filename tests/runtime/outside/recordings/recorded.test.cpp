#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/outside/recordings/known_recordings.hpp>
#include <convene/runtime/outside/recordings/recorded.hpp>
#include <convene/runtime/outside/recordings/recorded_behaviour.hpp>
#include <convene/runtime/outside/recordings/recording.hpp>
#include <convene/runtime/runtime.hpp>
#include <runtime/log/event_log/files.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace convene;
using Catch::Contains;
using tests::scratch_folder;

namespace {

/// A Collab's members in the scenario's short form.
std::string scenario_with(const std::string& mode, const std::string& who,
                          const std::string& behaviours,
                          const std::string& session = "{}") {
  std::string all;
  for (const char id : who)
    all += (all.empty() ? "" : ", ")
           + (R"({"participant_id": ")" + std::string{id}
              + R"(", "role_id": "role-)"
              + (id == 'o' ? "orchestrator" : std::string{id}) + R"("})");
  return R"({"collab": {"mode": ")" + mode + R"(", "participants": [)" + all
         + R"(]}, "behaviours": )" + behaviours + R"(, "session": )" + session
         + R"(, "task": "work"})";
}

protocol::result<session::spec> loaded(const std::filesystem::path& file,
                                       std::uint64_t seed) {
  protocol::uuid_source ids{seed};
  return host::load_scenario(file, {.ids = ids, .seed = seed});
}

/// Runs what a file has into a log beside it.
protocol::result<session_result>
run_logged(const scratch_folder& in, const std::string& text, const char* log,
           std::uint64_t seed = 1, int sessions = 1) {
  tests::write_bytes(in / "scenario.json", text);
  const auto what = loaded(in / "scenario.json", seed);
  if (!what)
    return protocol::fail(what.error());
  runtime_options how{.log = in / log, .seed = seed};
  REQUIRE(how.allow.allow("read=" + in.path().string()));
  convene::runtime rt{how};
  auto ended = rt.start(*what).await();
  for (int i = 1; i < sessions; ++i)
    REQUIRE(
      rt.start(host::another(*what, static_cast<std::uint64_t>(i))).await());
  REQUIRE(rt.close());
  return ended;
}

/// What was answered, in order: who, after how long, what.
std::vector<std::string> answers_in(const std::filesystem::path& log) {
  std::vector<std::string> all;
  const auto read = host::visit_log(log, [&](const host::log_place&,
                                             std::string_view line) {
    const auto event = protocol::parse_json(line);
    REQUIRE(event);
    const auto& payload = protocol::object_of(event->get_object(), "payload");
    const auto* reply = payload.if_contains("reply");
    if (reply == nullptr)
      return;
    auto said = reply->get_object();
    if (auto* vote = said.if_contains("vote"))
      vote->get_object().erase("conflict_id"); // another in each session
    const auto who = protocol::text_of(payload, "participant_id");
    const auto delay = protocol::integer_of(payload, "duration_ms");
    all.push_back(
      std::string{
        who.empty() ? protocol::text_of(payload, "receiver_participant") : who}
      + ' ' + std::to_string(delay.value_or(0)) + ' '
      + protocol::json::serialize(said));
  });
  REQUIRE(read);
  return all;
}

const std::string all_recorded
  = R"({"*": {"type": "recorded", "log": "first.jsonl"}})";

const std::string votes = R"({
  "a": {"type": "script", "turns": [{}]},
  "b": {"type": "script", "turns": [{"content": "b's", "writes": [
    {"resource_type": "doc", "resource_id": "d", "base_version": 1, "value": 1}]}]},
  "c": {"type": "script", "latency_ms": 5, "turns": [{"writes": [
    {"resource_type": "doc", "resource_id": "d", "base_version": 1, "value": 2}]}]},
  "d": {"type": "script", "votes": ["c"]},
  "e": {"type": "script", "votes": ["c"]}})";

const std::string decisions = R"({
  "o": {"type": "script", "decisions": [
    {"dispatch": {"participant": "b", "task": "one"}},
    {"dispatch": {"participant": "b", "task": "two"}}, {"complete": {}}]},
  "b": {"type": "simulated", "latency_ms": {"uniform": {"min": 1, "max": 900}},
        "failure": 0.3, "content_bytes": {"uniform": {"min": 1, "max": 90}}}})";

struct recorded_case {
  std::string mode, who, behaviours, session;
  const char* has; ///< what the first log must show for the case to be one
};

} // namespace

TEST_CASE("a session of recorded participants answers as the first one did") {
  const auto& [mode, who, behaviours, settings, has]
    = GENERATE(values<recorded_case>({
      {"round_robin", "ab",
       R"({"*": {"type": "simulated", "latency_ms": {"uniform":
           {"min": 1, "max": 900}}, "failure": 0.3, "decline": 0.2}})",
       R"({"rounds": 6})", "MAPTurnCompleted"},
      {"orchestrated", "ob", decisions, R"({"orchestrator": "o"})",
       R"("input":"decision")"},
      {"broadcast", "abcde", votes,
       R"({"rounds": 1, "conflicts": {"strategy": "voting"}})",
       R"("input":"vote")"},
    }));
  CAPTURE(mode);
  const scratch_folder in;
  auto add = [&](std::string text) {
    if (mode == "broadcast")
      text.insert(1, R"("workspace": [{"resource_type": "doc",
                         "resource_id": "d", "value": 0}], )");
    return text;
  };
  const auto first = run_logged(
    in, add(scenario_with(mode, who, behaviours, settings)), "first.jsonl");
  INFO((first ? "" : to_string(first.error())));
  REQUIRE(first);
  REQUIRE_THAT(tests::read_bytes(in / "first.jsonl"), Contains(has));
  const auto again
    = run_logged(in, add(scenario_with(mode, who, all_recorded, settings)),
                 "again.jsonl", 77);
  INFO((again ? "" : to_string(again.error())));
  REQUIRE(again);
  const auto was = answers_in(in / "first.jsonl");
  CHECK(was.size() > 2);
  CHECK(answers_in(in / "again.jsonl") == was);
}

TEST_CASE("who is silent on the log is silent again") {
  const scratch_folder in;
  const std::string settings = R"({"rounds": 3, "turn_timeout_ms": 1000})";
  REQUIRE(run_logged(in,
                     scenario_with("round_robin", "ab",
                                   R"({"*": {"type": "simulated"},
                       "b": {"type": "simulated", "silence": 1}})",
                                   settings),
                     "first.jsonl"));
  REQUIRE(run_logged(in,
                     scenario_with("round_robin", "ab", all_recorded, settings),
                     "again.jsonl"));
  const auto log = tests::read_bytes(in / "again.jsonl");
  CHECK_THAT(log, Contains(R"("status":"timed_out")"));
  CHECK_THAT(log, !Contains("recording_exhausted"));
}

TEST_CASE("who is asked beyond its recording, or has none, fails by name") {
  const scratch_folder in;
  REQUIRE(
    run_logged(in, scenario_with("round_robin", "a", "{}", R"({"rounds": 2})"),
               "first.jsonl"));
  const auto failures = [&](const std::string& who, int rounds) {
    REQUIRE(
      run_logged(in,
                 scenario_with("round_robin", who, all_recorded,
                               R"({"rounds": )" + std::to_string(rounds) + "}"),
                 "again.jsonl"));
    const auto log = tests::read_bytes(in / "again.jsonl");
    std::filesystem::remove(in / "again.jsonl");
    std::size_t count = 0;
    for (const auto& answer : answers_in(in / "first.jsonl"))
      REQUIRE_FALSE(answer.empty());
    for (auto at = log.find(R"("error":{"code":"recording_exhausted")");
         at != log.npos;
         at = log.find(R"("error":{"code":"recording_exhausted")", at + 1))
      ++count;
    return count;
  };
  const auto recorded = answers_in(in / "first.jsonl").size();
  REQUIRE(recorded > 0);
  CHECK(failures("a", static_cast<int>(recorded)) == 0);
  CHECK(failures("a", static_cast<int>(recorded) + 1) > 0);
  CHECK(failures("ab", 1) > 0); // never asked, so refused only when it is
}

TEST_CASE("a log that cannot serve is refused where the scenario names it") {
  const scratch_folder in;
  REQUIRE(run_logged(in, scenario_with("round_robin", "a", "{}"), "first.jsonl",
                     1, 2));
  tests::write_bytes(in / "text.jsonl", "no log\n");
  auto bytes = tests::read_bytes(in / "first.jsonl");
  bytes[bytes.find("MAPTurnCompleted")] = 'm';
  tests::write_bytes(in / "damaged.jsonl", bytes);
  const auto refused = [&](const std::string& behaviour) {
    const auto made = run_logged(in,
                                 scenario_with("round_robin", "a",
                                               R"({"*": {"type": "recorded", )"
                                                 + behaviour + "}}"),
                                 "again.jsonl");
    REQUIRE_FALSE(made);
    INFO(to_string(made.error()));
    CHECK(made.error().pointer.starts_with("/behaviours/*"));
    return made.error().rule;
  };
  CHECK(refused(R"("log": "first.jsonl")") == "recording_session");
  CHECK(refused(R"("log": "first.jsonl", "session": "other")")
        == "recording_session");
  CHECK(refused(R"("log": "text.jsonl")") == "not_a_log");
  CHECK(refused(R"("log": "damaged.jsonl")") == "log_damaged");
  CHECK(refused(R"("log": "none.jsonl")") == "recording_unreadable");
  CHECK(refused(R"("log": "/proc/version")") == "permission_needed");
  CHECK(refused(R"("session": "x")") == "required");
  CHECK(refused(R"("log": "first.jsonl", "speed": 2)")
        == "additionalProperties");
}

TEST_CASE("one of several sessions is picked by its id") {
  const scratch_folder in;
  REQUIRE(run_logged(in, scenario_with("round_robin", "a", "{}"), "first.jsonl",
                     1, 2));
  const auto what = loaded(in / "scenario.json", 1);
  REQUIRE(what);
  REQUIRE(
    run_logged(in,
               scenario_with("round_robin", "a",
                             R"({"*": {"type": "recorded", "log": "first.jsonl",
                            "session": ")"
                               + host::session_id_of(*what, 1) + R"("}})"),
               "again.jsonl"));
  CHECK_THAT(tests::read_bytes(in / "again.jsonl"),
             !Contains("recording_exhausted"));
}

TEST_CASE("a recording is bounded, and has those alone who are asked for") {
  const scratch_folder in;
  REQUIRE(
    run_logged(in,
               scenario_with("round_robin", "ab", R"({"*": {"type": "echo"}})",
                             R"({"rounds": 3})"),
               "first.jsonl"));
  const auto only_b = host::read_recordings(in / "first.jsonl", "", {"b", "z"});
  REQUIRE(only_b);
  REQUIRE(only_b->size() == 1);
  CHECK(only_b->begin()->first == "b");
  const auto full = host::read_recordings(in / "first.jsonl", "", {"b"}, 100);
  REQUIRE_FALSE(full);
  CHECK(full.error().rule == "recording_bytes_max");
  CHECK(full.error().line > 1);
}

TEST_CASE("a log that nobody has allowed to be read is not even looked for") {
  const scratch_folder in;
  const scratch_folder elsewhere;
  REQUIRE(
    run_logged(in, scenario_with("round_robin", "a", "{}"), "first.jsonl"));
  auto what = loaded(in / "scenario.json", 1);
  REQUIRE(what);
  const auto rule = [&](const std::filesystem::path& log,
                        const host::permissions& allow) {
    what->behaviours = {{"a", {{"type", "recorded"}, {"log", log.string()}}}};
    const auto checked = host::check_recorded(*what, allow);
    const auto made = host::make_recorded(what->behaviours.at("a"),
                                          {.participant_id = "a"},
                                          "/behaviours/a", allow);
    CHECK(checked.has_value() == made.has_value());
    if (checked)
      return std::string{};
    CHECK(checked.error().pointer == "/behaviours/a/log");
    CHECK((made || made.error().rule == checked.error().rule));
    return checked.error().rule;
  };
  host::permissions own;
  REQUIRE(own.allow("read=" + in.path().string()));
  host::permissions other;
  REQUIRE(other.allow("read=" + elsewhere.path().string()));
  CHECK(rule(in / "first.jsonl", own).empty());
  CHECK(rule(in / "first.jsonl", {}) == "permission_needed");
  CHECK(rule(in / "first.jsonl", other) == "permission_needed");
  CHECK(rule(in / "none.jsonl", {}) == "permission_needed");
  CHECK(rule(in / "none.jsonl", own) == "recording_unreadable");
  // By way of a link in a folder that may be read.
  std::filesystem::create_symlink(in / "first.jsonl", elsewhere / "link.jsonl");
  CHECK(rule(elsewhere / "link.jsonl", other) == "permission_needed");
}

TEST_CASE("a scenario that came without files names no log") {
  protocol::uuid_source ids{1};
  const auto text = scenario_with("round_robin", "a", all_recorded);
  const auto made = host::load_scenario(protocol::parse_json(text)->as_object(),
                                        {.ids = ids});
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "names_file");
  CHECK(made.error().pointer == "/behaviours/*/log");
}

TEST_CASE("what was closed before it was answered is told as that") {
  host::recorded_behaviour who{
    std::make_shared<const host::recording>(host::recording{.turns = {{}}})};
  actors::turn_request asked;
  const auto told = [&] { return who.respond(asked).reply.error; };
  CHECK(told().code == "recording_exhausted");
  CHECK_THAT(told().message, Contains("turn or broadcast 1 was closed"));
  asked.kind_sequence = 1;
  CHECK_THAT(told().message,
             Contains("no answer to the participant's turn or broadcast 2"));
}

TEST_CASE("of many logs each is read once") {
  const scratch_folder in;
  REQUIRE(run_logged(in, scenario_with("round_robin", "a", "{}"), "0.jsonl"));
  std::vector<std::shared_ptr<const host::recordings>> first;
  const auto read = [&](int i) {
    const auto log = in.path() / (std::to_string(i) + ".jsonl");
    if (i != 0 && !std::filesystem::exists(log))
      std::filesystem::copy_file(in / "0.jsonl", log);
    const auto found = host::known_recordings({.log = log.string()}, {"a"});
    REQUIRE(found);
    return *found;
  };
  constexpr int logs = 9;
  for (int i = 0; i < logs; ++i)
    first.push_back(read(i));
  for (int i = 0; i < logs; ++i)
    CHECK(read(i) == first[static_cast<std::size_t>(i)]);
  tests::write_bytes(in / "0.jsonl", tests::read_bytes(in / "0.jsonl") + ' ');
  CHECK(host::known_recordings({.log = (in / "0.jsonl").string()}, {"a"})
          .value_or(nullptr)
        != first[0]);
}

TEST_CASE("logs beyond the bound of all together are given up") {
  const scratch_folder in;
  REQUIRE(run_logged(in, scenario_with("round_robin", "a", "{}"), "0.jsonl"));
  // As large as can be without a byte on the disk, and not read: of another.
  constexpr int logs = 5;
  std::vector<std::weak_ptr<const host::recordings>> first;
  const auto whole = tests::read_bytes(in / "0.jsonl");
  for (int i = 0; i < logs; ++i) {
    const auto folder = in.path() / std::to_string(i);
    std::filesystem::create_directories(folder);
    tests::write_bytes(folder / "events.jsonl", whole);
    const auto log = (folder / "events.jsonl").string();
    // A torn line at the end of a log is no event: it is left out.
    std::filesystem::resize_file(log, host::recording_bytes_max);
    const auto found = host::known_recordings({.log = log}, {"a"});
    INFO((found ? "" : to_string(found.error())));
    REQUIRE(found);
    first.push_back(*found);
  }
  CHECK(first.front().expired());
  CHECK_FALSE(first.back().expired());
}

namespace {

/// A log of the session `s` with events of these types and payloads.
std::filesystem::path
made_log(const scratch_folder& in, const char* name,
         const std::vector<std::pair<std::string, std::string>>& events) {
  auto log = host::event_log_writer::open(in / name);
  REQUIRE(log);
  for (const auto& [type, payload] : events)
    REQUIRE((*log)->append(R"({"event_id":"e","event_type":")" + type
                           + R"(","event_family":"f","session_id":"s",)"
                             R"("payload":)"
                           + payload + "}\n"));
  REQUIRE((*log)->close());
  return in / name;
}

host::recording recorded_of(const std::filesystem::path& log,
                            const std::string& who) {
  const auto all = host::read_recordings(log, "", {who});
  INFO((all ? "" : to_string(all.error())));
  REQUIRE(all);
  REQUIRE(all->contains(who));
  return *all->at(who);
}

} // namespace

TEST_CASE("a session whose beginning is gone, or a reply that is none, is not "
          "given again") {
  const scratch_folder in;
  const auto turn = [](const std::string& reply) {
    return std::pair<std::string, std::string>{
      "MAPTurnCompleted", R"({"participant_id":"a","reply":)" + reply + "}"};
  };
  const auto headless = host::read_recordings(
    made_log(in, "headless.jsonl", {turn("{}")}), "", {"a"});
  REQUIRE_FALSE(headless);
  CHECK(headless.error().rule == "recording_incomplete");
  const auto odd = host::read_recordings(
    made_log(in, "odd.jsonl",
             {{"MAPSessionStarted", "{}"}, turn(R"({"status":"odd"})")}),
    "", {"a"});
  REQUIRE_FALSE(odd);
  CHECK(odd.error().rule == "recording_reply");
  CHECK_THAT(odd.error().message, Contains("/payload/reply/status"));
  // Nobody wants to know what b has said.
  CHECK(host::read_recordings(in / "odd.jsonl", "", {"b"}));
}

TEST_CASE("each vote is recorded for the conflict that asked for it") {
  const scratch_folder in;
  const auto asks = [](const std::string& conflict, const std::string& whom) {
    return std::pair<std::string, std::string>{
      "MAPConflictDetected", R"({"conflict_id":")" + conflict
                               + R"(","details":{"asked":)" + whom + "}}"};
  };
  const auto gives = [](const std::string& who, const std::string& reply) {
    return std::pair<std::string, std::string>{
      "session_input", R"({"input":"vote","participant_id":")" + who
                         + R"(","reply":)" + reply + "}"};
  };
  const auto votes = [&](const std::string& who, const std::string& conflict,
                         const std::string& whom) {
    return gives(who, R"({"vote":{"conflict_id":")" + conflict + R"(","for":")"
                        + whom + R"("}})");
  };
  const auto log
    = made_log(in, "votes.jsonl",
               {{"MAPSessionStarted", "{}"},
                asks("c1", R"(["d","e","f"])"),
                asks("c2", R"(["d","e"])"),
                votes("d", "c2", "second"),
                votes("d", "c1", "first"),
                gives("e", R"({"status":"declined","content":"one"})"),
                gives("e", R"({"status":"declined","content":"two"})")});
  const auto d = recorded_of(log, "d").votes;
  REQUIRE(d.size() == 2);
  CHECK(d[0].reply.value().vote.value().in_favour_of == "first");
  CHECK(d[1].reply.value().vote.value().in_favour_of == "second");
  // Who declines does not say which: the oldest that is open.
  const auto e = recorded_of(log, "e").votes;
  REQUIRE(e.size() == 2);
  CHECK(e[0].reply.value().content == "one");
  CHECK(e[1].reply.value().content == "two");
  const auto f = recorded_of(log, "f").votes;
  REQUIRE(f.size() == 1);
  CHECK(f[0].silent);
}

TEST_CASE("who did not decide in time is silent again, and no answer comes "
          "before its request") {
  const scratch_folder in;
  const auto who = recorded_of(
    made_log(in, "times.jsonl",
             {{"MAPSessionStarted", "{}"},
              {"session_input",
               R"({"input":"decision_timed_out","participant_id":"o"})"},
              {"MAPTurnCompleted",
               R"({"participant_id":"o","reply":{},"duration_ms":-5})"}}),
    "o");
  REQUIRE(who.decisions.size() == 1);
  CHECK(who.decisions[0].silent);
  REQUIRE(who.turns.size() == 1);
  CHECK(who.turns[0].delay_ms == 0);
}

TEST_CASE("what is known of a log grows by those who are asked for") {
  const scratch_folder in;
  REQUIRE(
    run_logged(in, scenario_with("round_robin", "ab", "{}"), "first.jsonl"));
  const auto known = [&](const std::string& who) {
    const auto found
      = host::known_recordings({.log = (in / "first.jsonl").string()}, {who});
    REQUIRE(found);
    return *found;
  };
  CHECK_FALSE(known("a")->contains("b"));
  const auto both = known("b");
  CHECK(both->contains("a"));
  CHECK(both->contains("b"));
  CHECK(known("a") == both);
}

TEST_CASE("a vote is given again for the conflict that asks now") {
  host::recorded_behaviour who{std::make_shared<const host::recording>(
    host::recording{.votes = {{.reply = protocol::reply{
                                 .vote = protocol::vote{"of then", "ivo"}}}}})};
  actors::turn_request asked;
  asked.dispute.conflict_id = "of now";
  const auto given = who.respond(asked).reply;
  REQUIRE(given.vote);
  CHECK(given.vote->conflict_id == "of now");
  CHECK(given.vote->in_favour_of == "ivo");
}
