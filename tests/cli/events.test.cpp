#include "program.hpp"

#include <convene/cli/commands/events/event_row.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/log/event_log/segment_text.hpp>
#include <runtime/log/event_log/session_lines.hpp>

#include <algorithm>

using namespace convene::tests;
using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

/// Ten turns of two sessions that take turns, in groups of two events.
std::string sample() {
  segment_text log;
  for (std::uint64_t turn = 1; turn <= 10; turn += 2)
    log.group(line_of_session(1, std::to_string(turn)) + '\n'
              + line_of_session(2, std::to_string(turn + 1)) + '\n');
  return log.bytes();
}

std::string event(int turn, const std::string& who, const std::string& said,
                  const std::string& type = "MAPTurnCompleted") {
  return R"({"event_id":"x","event_type":")" + type
         + R"(","event_family":"RuntimeExecutionEvent","session_id":")"
         + to_string(session_number(1)) + R"(","timestamp":"2026-01-31T12:00:0)"
         + std::to_string(turn) + R"(.250Z","payload":{"participant_id":")"
         + who + R"(","turn_number":)" + std::to_string(turn)
         + R"(,"status":"completed","reply":{"content":")" + said + "\"}}}";
}

/// A session of three turns.
std::string turns() {
  return segment_text{}
    .group(event(1, "ana", "first") + '\n')
    .group(event(2, "ben", "second \\u001b[31m") + '\n' + event(3, "ana", "3")
           + '\n')
    .bytes();
}

std::ptrdiff_t count_lines(const std::string& text) {
  return std::ranges::count(text, '\n');
}

} // namespace

TEST_CASE("events of a log are shown a line each, made neutral") {
  const scratch_folder at;
  write_bytes(at / "events.jsonl", turns());
  const auto shown = run({"events", at.path().string()});
  CHECK(shown.code == 0);
  CHECK(shown.err.empty());
  const auto id = to_string(session_number(1)).substr(0, 8);
  CHECK_THAT(shown.out, StartsWith("12:00:01.250 " + id
                                   + " #1    ana          MAPTurnCompleted     "
                                     "completed: first\n"));
  CHECK_THAT(shown.out, !Contains("\x1b"));
  CHECK(count_lines(shown.out) == 3);
  const auto verbose = run({"events", "-v", at.path().string()});
  CHECK_THAT(verbose.out, StartsWith("2026-01-31T12:00:01.250Z "
                                     + to_string(session_number(1))));
  CHECK_THAT(verbose.err, Contains("continue with --after 1:"));
  CHECK(run({"events", "-q", at.path().string()}).out.empty());
}

TEST_CASE("what an action used is a row with totals and what is left") {
  const auto row = [](const std::string& rest) {
    return convene::cli::event_row(
      R"({"event_type":"t","event_family":"cost_budget","payload":{)"
      R"("participant_id":"ana","position":"1",)"
        + rest + "}}",
      {.columns = 200});
  };
  CHECK_THAT(row(R"("model":"small","tokens_used":15,"cost_usd":5E-1,)"
                 R"("cumulative_tokens":20,"cumulative_cost_usd":1E0,)"
                 R"("budget_remaining":{"tokens":0,"cost_usd":2.5E-1})"),
             Contains("small 1: 15 tokens, $0.50; 20 tokens, $1.00 in total; "
                      "no tokens left; $0.25 left\n"));
  CHECK_THAT(row(R"("tokens_used":1,"cost_usd":0E0,"cumulative_tokens":1,)"
                 R"("cumulative_cost_usd":0E0)"),
             Contains(" 1: 1 token; 1 token in total\n"));
  CHECK_THAT(row(R"("budget":"tokens","used":7,"limit":5)"),
             Contains(" 1: tokens used up: 7 of 5\n"));
}

TEST_CASE("events come out as they stand on the log, or in one document") {
  const scratch_folder at;
  write_bytes(at / "log", turns() + "torn");
  const auto lines = run({"events", (at / "log").string(), "--jsonl"});
  CHECK(lines.code == 0);
  CHECK_THAT(lines.out, StartsWith(event(1, "ana", "first") + '\n'));
  CHECK_THAT(lines.err, Contains("4 bytes at the end were never acknowledged"));
  const auto json = run({"events", (at / "log").string(), "--json"});
  const auto document = convene::protocol::parse_json(json.out);
  REQUIRE(document);
  CHECK(document->at("events").as_array().size() == 3);
  CHECK(document->at("events").at(0)
        == convene::protocol::parse_json(event(1, "ana", "first")));
  CHECK(document->at("unacknowledged_bytes") == 4);
  CHECK(document->at("more") == false);
  const auto none
    = run({"events", (at / "log").string(), "--json", "--type", "x"});
  const auto empty = convene::protocol::parse_json(none.out);
  CHECK(none.code == 2);
  REQUIRE(empty);
  CHECK(empty->at("events").as_array().empty());
  CHECK(empty->at("error").at("details").at("rule") == "names_nothing");
}

TEST_CASE("only the events that are asked for are shown") {
  const scratch_folder at;
  write_bytes(at / "log", turns());
  const auto shown = [&](std::vector<std::string> questions) {
    questions.insert(questions.begin(), {"events", (at / "log").string()});
    const auto done = run(questions);
    CHECK(done.code == 0);
    return count_lines(done.out);
  };
  CHECK(shown({"--type", "MAPTurnCompleted"}) == 3);
  CHECK(shown({"--type", "MAPTurnDispatched,step_added"}) == 0);
  CHECK(shown({"--family", "RuntimeExecutionEvent"}) == 3);
  CHECK(shown({"--participant", "ana"}) == 2);
  CHECK(shown({"--participant", "ana", "--participant", "ben"}) == 3);
  CHECK(shown({"--from", "2026-01-31T12:00:02Z"}) == 2);
  CHECK(shown({"--to", "2026-01-31T12:00:02Z"}) == 1);
  CHECK(shown({"--turn", "2"}) == 1);
  CHECK(shown({"--turn", "2-"}) == 2);
  CHECK(shown({"--turn", "1-2", "--participant", "ana"}) == 1);
  CHECK(shown({"--session", to_string(session_number(1))}) == 3);
  CHECK(shown({"--turn", "9"}) == 0);
}

TEST_CASE("words of a filter that name nothing on the log are refused") {
  const scratch_folder at;
  write_bytes(at / "log", turns());
  const auto id = to_string(session_number(2));
  const auto [asked, why]
    = GENERATE_COPY(table<std::vector<std::string>, std::string>(
      {{{"--session", id}, id},
       {{"--session", "collab-x"}, "found collab-x"},
       {{"--session", id, "--limit", "1"}, id},
       {{"--type", "MAPTurnComplete"}, "\"MAPTurnCompleted\"?"},
       {{"--family", "RuntimeExecution"}, "--family"},
       {{"--participant", "ana", "--participant", "zoe"}, "found zoe"}}));
  std::vector<std::string> arguments{"events", (at / "log").string()};
  arguments.insert(arguments.end(), asked.begin(), asked.end());
  const auto refused = run_verbosely(arguments);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(why) && Contains("names_nothing"));
}

TEST_CASE("a log is read in pieces, each from where the last one ended") {
  const scratch_folder at;
  write_bytes(at / "log", sample());
  const auto whole = run({"events", (at / "log").string(), "--jsonl"}).out;
  std::string pieces;
  std::vector<std::string> from;
  for (int i = 0; i < 4; ++i) {
    std::vector<std::string> arguments{"events", (at / "log").string(),
                                       "--jsonl", "--limit", "3"};
    arguments.insert(arguments.end(), from.begin(), from.end());
    const auto piece = run(arguments);
    CHECK(piece.code == 0);
    pieces += piece.out;
    CHECK(count_lines(piece.out) == (i == 3 ? 1 : 3));
    const auto cursor = piece.err.rfind(' ');
    if (i < 3)
      from = {"--after",
              piece.err.substr(cursor + 1, piece.err.size() - cursor - 2)};
  }
  CHECK(pieces == whole);
}

TEST_CASE("one session is read by an index, which is left for the next time") {
  const scratch_folder at;
  fs::create_directory(at / "log");
  write_bytes(at / "log/000001.jsonl", sample());
  for (int again = 0; again < 2; ++again) {
    const auto one = run({"events", at.path().string(), "--jsonl", "--session",
                          to_string(session_number(2))});
    CHECK(one.code == 0);
    CHECK(count_lines(one.out) == 5);
    CHECK(fs::exists(at / "log/000001.index"));
  }
  CHECK(run({"check", at.path().string()}).code == 1); // and it is no segment
}

TEST_CASE("damage ends the reading with its place, in every form") {
  const scratch_folder at;
  auto bytes = sample();
  bytes[bytes.find("\"5\"") + 1] = '6';
  write_bytes(at / "log", bytes);
  const auto path = (at / "log").string();
  const auto rows = run_verbosely({"events", path});
  CHECK(rows.code == 2);
  CHECK(count_lines(rows.out) == 4);
  CHECK_THAT(rows.err, Contains(path + ":9:1: ") && Contains("log_damaged"));
  const auto json = run({"events", path, "--json"});
  CHECK(json.code == 2);
  const auto document = convene::protocol::parse_json(json.out);
  REQUIRE(document);
  CHECK(document->at("events").as_array().size() == 4);
  CHECK(document->at("error").at("details").at("line") == 9);
}

TEST_CASE("what cannot be meant is refused, and says what can") {
  const scratch_folder at;
  write_bytes(at / "log", sample());
  const auto path = (at / "log").string();
  const std::vector<std::vector<std::string>> all{
    {"--session", "1234"},
    {"--from", "yesterday"},
    {"--to", "12:00"},
    {"--turn", "x"},
    {"--turn", "3-1"},
    {"--turn", "-3"},
    {"--turn", "99999999999999999999"},
    {"--after", "1:2"},
    {"--after", "1:5:2:0:00000000"},
    {"--after", "7:0:1:0:00000000"},
    {"--limit", "0"},
    {"--json", "--jsonl"},
    {"--salvage", "new", "-f"},
    {"--salvage", path}};
  for (auto arguments : all) {
    CAPTURE(arguments);
    arguments.insert(arguments.begin(), {"events", path});
    const auto refused = run(arguments);
    CHECK((refused.code == 2 || arguments.back() == path));
    CHECK(refused.code != 0);
    CHECK_FALSE((refused.err + refused.out).empty());
  }
  CHECK(run({"events", (at / "none").string()}).code == 2);
  CHECK(run({"events"}).code == 2);
  CHECK(read_bytes(at / "log") == sample());
}

TEST_CASE("a reader that goes away ends it quietly") {
  const scratch_folder at;
  segment_text log;
  for (int i = 0; i < 2000; ++i)
    log.group(line_of_session(1, std::to_string(i)) + '\n');
  write_bytes(at / "log", log.bytes());
  for (const auto* how : {"--jsonl", "--json", "--no-color", "--jsonl -f"}) {
    const auto seen = run_shell("set -o pipefail; \"$0\" events \"$1\" "
                                  + std::string{how} + " | head -n 1",
                                {(at / "log").string()});
    CHECK(seen.code == 0);
    CHECK(seen.err.empty());
    CHECK(count_lines(seen.out) == 1);
  }
}

TEST_CASE("a log is followed as it grows, until somebody interrupts") {
  const scratch_folder at;
  auto log = convene::host::event_log_writer::open(at / "events.jsonl");
  REQUIRE(log);
  program following{{"events", at.path().string(), "--follow", "--jsonl"}};
  for (int i = 1; i <= 3; ++i) {
    REQUIRE((*log)->append(line_of_session(1, std::to_string(i)) + '\n'));
    REQUIRE((*log)->flush());
    while (count_lines(following.output()) < i)
      REQUIRE_FALSE(following.has_ended());
  }
  following.signal(SIGINT);
  const auto ended = following.wait();
  CHECK(ended.code == 130);
  CHECK(count_lines(ended.out) == 3);
  CHECK(ended.err.empty());
}

TEST_CASE("a session is found by the id that its Collab was given") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  const std::string id = GENERATE("collab-550e8400-e29b-41d4-a716-446655440000",
                                  "review of monday");
  write_bytes(scenario, R"({"collab": {"collab_id": ")" + id + R"(",
    "mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]}, "task": "go on"})");
  const auto out = (at / "out").string();
  REQUIRE(run({"run", scenario, "--quiet", "--out", out}).code == 0);
  const auto all = run({"events", out, "--jsonl"});
  const auto found = run({"events", out, "--jsonl", "--session", id});
  CHECK(found.code == 0);
  CHECK(found.out == all.out);
  CHECK(run({"events", out, "--session", "collab-1"}).code == 2);
  CHECK(run({"fork", out, "--at", "1", "--session", id, "--quiet", "--out",
             (at / "fork").string()})
          .code
        == 0);
}

TEST_CASE("following a run ends with its last session") {
  const scratch_folder at;
  const auto sessions = GENERATE(1, 2);
  const auto out = (at / "out").string();
  const auto scenario = (at / "scenario.json").string();
  write_bytes(scenario, R"({"collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "r"}]}, "task": "go on"})");
  REQUIRE(run({"run", scenario, "--quiet", "--out", out, "--instances",
               std::to_string(sessions)})
            .code
          == 0);
  const auto all = run({"events", out, "--json"});
  const auto followed = run({"events", out, "--follow", "--json"});
  CHECK(followed.code == 0);
  CHECK(followed.out == all.out);
  // Also where the end was read before.
  const auto cursor = convene::protocol::parse_json(all.out)->at("cursor");
  const auto rest = run({"events", out, "--follow", "--json", "--after",
                         std::string{cursor.as_string()}});
  CHECK(rest.code == 0);
  CHECK_THAT(rest.out, Contains("\"events\": []"));
  if (sessions == 1)
    CHECK(run({"events", out + "/events.jsonl", "--follow", "-q"}).code == 0);
}

TEST_CASE("following a session ends with it") {
  const scratch_folder at;
  auto log = convene::host::event_log_writer::open(at / "events.jsonl");
  REQUIRE(log);
  program following{{"events", at.path().string(), "-f", "--json", "--session",
                     to_string(session_number(1))}};
  REQUIRE((*log)->append(line_of_session(2, "y", "MAPSessionCompleted") + '\n'
                         + line_of_session(1, "x") + '\n'));
  REQUIRE((*log)->flush());
  REQUIRE(
    (*log)->append(line_of_session(1, "z", "MAPSessionCompleted") + '\n'));
  REQUIRE((*log)->flush());
  const auto ended = following.wait();
  CHECK(ended.code == 0);
  const auto document = convene::protocol::parse_json(ended.out);
  REQUIRE(document);
  CHECK(document->at("events").as_array().size() == 2);
}
