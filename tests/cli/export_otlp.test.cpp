#include "program.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <protocol/otlp/otlp_rules.hpp>

#include <map>
#include <set>
#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
using convene::test::otlp_rules;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

using lines = std::vector<std::string>;

std::string example(const std::string& name) {
  return examples_folder + name + "/scenario.json";
}

json::value trace_in(const std::string& text) {
  auto made = parse_json(text);
  REQUIRE(made);
  CHECK(otlp_rules::broken(*made) == lines{});
  return *std::move(made);
}

/// The spans that belong to segments of a Trace, by their ids.
std::map<std::string, std::string> requests_in(const json::value& trace) {
  std::map<std::string, std::string> all;
  for (const auto& each : otlp_rules::spans(trace)) {
    const auto operation = otlp_rules::attribute(each, "mplp.operation");
    if (operation == "turn" || operation == "broadcast")
      all.emplace(each.at("spanId").as_string(),
                  otlp_rules::attribute(each, "gen_ai.agent.name"));
  }
  return all;
}

/// The participants of a Trace's segments, by the ids that spans have.
std::map<std::string, std::string> segments_in(const json::value& document) {
  std::map<std::string, std::string> all;
  for (const auto& each : document.at("segments").as_array()) {
    auto id = std::string{each.at("segment_id").as_string()};
    std::erase(id, '-');
    const auto& kept = each.at("attributes").as_object();
    const auto* name = kept.contains("participant_id") ? "participant_id"
                                                       : "receiver_participant";
    all.emplace(id.substr(0, 16), convene::protocol::text_of(kept, name));
  }
  return all;
}

std::size_t count_of(const std::string& log, const std::string& type) {
  std::size_t count = 0;
  std::istringstream in{log};
  for (std::string line; std::getline(in, line);)
    count += line.find("\"event_type\":\"" + type + '"') != line.npos ? 1 : 0;
  return count;
}

} // namespace

TEST_CASE("an example of each mode is exported as a trace of its turns") {
  for (const std::string name :
       {"code-review", "debugging-pair", "structured-vote", "refactoring-swarm",
        "contested-decision", "support-desk", "shared-files", "runaway-pair",
        "incident-announcement"}) {
    INFO(name);
    const scratch_folder at;
    const auto out = (at / "out").string();
    // A guard ends one of them.
    REQUIRE(run({"run", example(name), "--out", out, "--seed", "3"}).code <= 1);
    const auto done = run({"export", out, "--format", "otlp"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    CHECK(done.out.ends_with("\n"));
    const auto trace = trace_in(done.out);
    const auto document = parse_json(read_bytes(at / "out/trace.json"));
    REQUIRE(document);
    const auto found = requests_in(trace);
    CHECK(found == segments_in(*document));
    const auto log = read_bytes(at / "out/events.jsonl");
    CHECK(found.size()
          == count_of(log, "MAPTurnDispatched")
               + count_of(log, "MAPBroadcastReceived"));
    auto id = std::string{document->at("trace_id").as_string()};
    std::erase(id, '-');
    const auto& spans = otlp_rules::spans(trace);
    CHECK(spans[0].at("traceId").as_string() == id);
    for (const auto& each : spans)
      CHECK(otlp_rules::attribute(each, "mplp.unfinished").empty());
    // The log alone gives the same.
    CHECK(run({"export", out + "/events.jsonl", "--format", "otlp"}).out
          == done.out);
  }
}

TEST_CASE("several sessions become a trace each, in a folder") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", example("structured-vote"), "--out", out, "--seed", "3",
               "--instances", "3"})
            .code
          == 0);
  const auto refused = run({"export", out, "--format", "otlp"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("3 sessions") && Contains("--out"));
  const auto traces = at / "traces";
  REQUIRE(
    run({"export", out, "--format", "otlp", "--out", traces.string()}).code
    == 0);
  std::set<std::string> ids;
  for (const auto& entry : fs::directory_iterator{traces}) {
    const auto trace = trace_in(read_bytes(entry.path()));
    const auto& root = otlp_rules::spans(trace)[0];
    CHECK(entry.path().filename().string()
          == otlp_rules::attribute(root, "gen_ai.conversation.id") + ".json");
    ids.emplace(root.at("traceId").as_string());
  }
  CHECK(ids.size() == 3);
}

TEST_CASE("what is no session's log gives no trace") {
  const scratch_folder at;
  const auto log = (at / "events.jsonl").string();
  for (const std::string text :
       {"", "{}\n", "[]\n",
        "{\"session_id\": \"s\", \"event_type\": \"MAPTurnDispatched\"}\n",
        "{\"session_id\": \"s\", \"timestamp\": 7}\n"}) {
    INFO(text);
    write_bytes(log, text);
    const auto refused = run({"export", log, "--format", "otlp"});
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK_FALSE(refused.err.empty());
  }
  // One that says little is a trace all the same.
  write_bytes(log, R"({"session_id": "s", "payload": {"participant_id": 7},
                       "event_type": "MAPTurnDispatched",
                       "timestamp": "2026-01-01T00:00:00Z"})");
  auto text = read_bytes(log);
  std::erase(text, '\n');
  write_bytes(log, text + '\n');
  const auto made = run({"export", log, "--format", "otlp"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(otlp_rules::spans(trace_in(made.out)).size() == 2);
}

TEST_CASE("a session with more spans than a trace has is refused by the name "
          "of the bound") {
  const scratch_folder at;
  const auto log = (at / "events.jsonl").string();
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "{\"session_id\": \"s\", \"event_type\": \"MAPTurnDispatched\", "
            "\"timestamp\": \"2026-01-01T00:00:00Z\"}\n";
  write_bytes(log, text);
  const auto refused = run_verbosely({"export", log, "--format", "otlp"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains(log) && Contains("otlp_spans_max"));
}
