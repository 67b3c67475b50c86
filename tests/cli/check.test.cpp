#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/log/event_log/segment_text.hpp>

using namespace convene::tests;
using Catch::Contains;
namespace json = boost::json;

namespace {

void write_log(const std::filesystem::path& path, const std::string& lines) {
  auto log = convene::host::event_log_writer::open(path);
  REQUIRE(log);
  if (!lines.empty())
    REQUIRE((*log)->append(lines));
  REQUIRE((*log)->close());
}

} // namespace

TEST_CASE("a log without events has nothing wrong with it") {
  const scratch_folder at;
  write_log(at / "events.jsonl", "");
  for (const auto& path : {at.path(), at / "events.jsonl"}) {
    const auto good = run({"check", path.string()});
    CHECK(good.code == 0);
    CHECK_THAT(good.out, Contains("0 events, 0 sessions, 0 findings"));
    CHECK(good.err.empty());
  }
  CHECK(run({"check", "--quiet", at.path().string()}).out.empty());
}

TEST_CASE("a finding names file, line and rule, and is the answer no") {
  const scratch_folder at;
  write_log(at / "log", "{\"event_type\":\"\\u001b\"}\nnot json\n");
  const auto found = run({"check", (at / "log").string()});
  CHECK(found.code == 1);
  const auto third = (at / "log").string() + ":3: ";
  const auto fourth = (at / "log").string() + ":4: - json ";
  CHECK_THAT(found.out, Contains(third) && Contains(fourth));
  CHECK_THAT(found.out, !Contains("\x1b"));

  const auto as_json = run({"check", "--json", (at / "log").string()});
  CHECK(as_json.code == 1);
  const auto document = convene::protocol::parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("good") == false);
  const auto& log = document->at("logs").at(0);
  CHECK(log.at("events") == 2);
  const auto& findings = log.at("findings").as_array();
  CHECK(log.at("findings_total") == findings.size());
  const auto broken = std::ranges::find_if(
    findings, [](const json::value& one) { return one.at("rule") == "json"; });
  REQUIRE(broken != findings.end());
  CHECK(broken->at("line") == 4);
  CHECK(broken->at("file").as_string() == (at / "log").string());
}

TEST_CASE("findings in a log of several files name the right one") {
  const scratch_folder at;
  std::filesystem::create_directory(at / "log");
  const auto first = segment_text{};
  const auto second = segment_text{2, first.crc()}.group("[]\n");
  const auto third = segment_text{3, second.crc()};
  const auto fourth = segment_text{4, third.crc()}.group("[]\n").group("no\n");
  write_bytes(at / "log/000001.jsonl", first.bytes());
  write_bytes(at / "log/000002.jsonl", second.bytes());
  write_bytes(at / "log/000003.jsonl", third.bytes());
  write_bytes(at / "log/000004.jsonl", fourth.bytes());
  const auto found = run({"check", at.path().string()});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("log/000002.jsonl:3: ")
                          && Contains("log/000004.jsonl:3: ")
                          && Contains("log/000004.jsonl:5: - json ")
                          && !Contains("000001.jsonl:"));
  std::filesystem::remove(at / "log/000003.jsonl");
  const auto gap = run({"check", at.path().string()});
  CHECK(gap.code == 1);
  CHECK_THAT(gap.out, Contains("segment 3 of the log is missing"));
}

TEST_CASE("a damaged log is found out") {
  const scratch_folder at;
  write_log(at / "log", "{\"event_type\":\"x\"}\n");
  auto bytes = read_bytes(at / "log");
  bytes[bytes.find("event_type")] = 'E';
  write_bytes(at / "log", bytes);
  const auto found = run({"check", (at / "log").string()});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("log_damaged"));
}

namespace {

/// The events of an example's session.
std::vector<json::value> events_of(const std::string& example) {
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", examples_folder + example + "/scenario.json", "--seed",
               "1", "--out", out, "--quiet"})
            .code
          == 0);
  std::vector<json::value> events;
  std::ifstream lines{out + "/events.jsonl"};
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("{\"log_"))
      events.push_back(*convene::protocol::parse_json(line));
  return events;
}

std::string text_of(const std::vector<json::value>& events) {
  std::string text;
  for (const auto& event : events)
    text += json::serialize(event) + '\n';
  return text;
}

} // namespace

TEST_CASE("what no rule can tell, the session computed again does") {
  const scratch_folder at;
  auto events = events_of("code-review");
  write_log(at / "as-it-was", text_of(events));
  CHECK(run({"check", (at / "as-it-was").string()}).code == 0);
  const auto found = std::ranges::find_if(events, [](const auto& event) {
    return event.at("event_type") == "plan_status_changed";
  });
  REQUIRE(found != events.end());
  found->at("payload").as_object()["reason"] = "because I say so";
  write_log(at / "forged", text_of(events));
  const auto forged = run({"check", (at / "forged").string()});
  CHECK(forged.code == 1);
  const auto line = std::to_string(found - events.begin() + 3);
  CHECK_THAT(forged.out, Contains("forged:" + line + ": ")
                           && Contains(" recomputed the session machine makes "
                                       "another event here: expected ")
                           && Contains("1 finding"));
}

TEST_CASE("a session is computed again in whatever form its lines are") {
  const scratch_folder at;
  std::string spaced;
  for (const auto& event : events_of("code-review")) {
    auto line = json::serialize(event);
    for (const auto* member : {"event_id", "event_type", "session_id"})
      if (const auto found = line.find(std::string{'"'} + member + "\":");
          found != line.npos)
        line.insert(line.find(':', found) + 1, " ");
    spaced += line + '\n';
  }
  write_log(at / "spaced", spaced);
  const auto checked = run({"check", "--json", (at / "spaced").string()});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains(R"("rule": "recomputed")")
                            && Contains(R"("sessions_recomputed": 1)"));
}

TEST_CASE("a log of another program is judged by its rules alone") {
  const scratch_folder at;
  auto events = events_of("structured-vote");
  events[0].at("payload").as_object()["spec"] = json::object{};
  write_log(at / "log", text_of(events));
  const auto good = run({"check", (at / "log").string()});
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("0 findings, 1 session not computed again"));
  events.back().at("payload").as_object()["turns_total"] = 77;
  write_log(at / "forged", text_of(events));
  const auto forged = run({"check", "--json", (at / "forged").string()});
  CHECK(forged.code == 1);
  CHECK_THAT(forged.out, Contains("counts_match")
                           && Contains(R"("sessions_recomputed": 0)"));
}

TEST_CASE("what cannot be read as a log is an error") {
  const scratch_folder at;
  write_bytes(at / "text", "hello\n");
  for (const auto& path : {at / "text", at / "missing", at.path(),
                           std::filesystem::path{"/dev/zero"}}) {
    const auto refused = run({"check", path.string()});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("convene: " + path.string()));
  }
}

TEST_CASE("a participant may fail with the word that a request's end has") {
  const run_fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"},
      {"participant_id": "ben", "role_id": "role-planner"}]},
    "session": {"rounds": 1}, "task": "go on", "behaviours": {
      "ann": {"type": "script", "turns": [{"status": "failed", "error":
        {"code": "timed_out", "message": "what it called did not answer"}}]},
      "ben": {"type": "script", "turns": [{"content": "ok"}]}}})"};
  CHECK(at.run_with().code == 0);
  const auto checked = run({"check", at.out});
  CHECK(checked.out.find("0 findings") != std::string::npos);
  CHECK(checked.code == 0);
}

TEST_CASE("events of another program get the verdict of validate") {
  const scratch_folder at;
  const std::string session = "550e8400-e29b-41d4-a716-446655440001";
  const auto event = [&](const std::string& type, const std::string& payload) {
    return R"({"event_id":"550e8400-e29b-41d4-a716-446655440101",)"
           R"("event_type":")"
           + type + R"(","timestamp":"2025-12-07T00:00:00.000Z","session_id":")"
           + session + R"(","payload":)" + payload + "}\n";
  };
  const auto good = event("MAPSessionStarted",
                          R"({"mode":"broadcast","participant_count":2})");
  const auto file = (at / "events.jsonl").string();
  write_bytes(file, good);
  const auto fine = run({"check", file});
  CHECK(fine.code == 0);
  CHECK_THAT(fine.out,
             Contains("1 event,") && Contains("not a log of convene"));
  write_bytes(file, good + event("MAPTurnDispatched", "{}"));
  const auto bad = run({"check", "--json", file});
  CHECK(bad.code == 1);
  CHECK_THAT(bad.out,
             Contains("event_matrix") && Contains(R"("foreign_events": 2)"));
  CHECK(run({"validate", "--invariants", file}).code == 1);
}

TEST_CASE("an array of events is refused with what to do") {
  const scratch_folder at;
  const auto file = (at / "events.json").string();
  for (const std::string text : {"[", " \n[\n"}) {
    write_bytes(file, text + R"({"event_id":"e","event_type":"x"}])" + "\n");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"check", file}, {"validate", file}}) {
      const auto done = run(words);
      CHECK(done.code == (words.front() == "check" ? 2 : 1));
      CHECK_THAT(done.out + done.err,
                 Contains("is an array: ") && Contains("jq -c '.[]'"));
    }
  }
}

TEST_CASE("a log of convene without its frame is no list of events") {
  const run_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  std::istringstream lines{read_bytes(at.out + "/events.jsonl")};
  std::string rest;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(R"({"log_)"))
      rest += line + '\n';
  const auto file = (at.folder / "stripped.jsonl").string();
  write_bytes(file, rest);
  const auto found = run({"check", file});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("log_opened_missing"));
}
