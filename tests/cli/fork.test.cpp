#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using texts = std::vector<std::string>;

const std::string two_talk = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"},
    {"participant_id": "bob", "role_id": "role-reviewer"}]},
  "behaviours": {"*": {"type": "echo"}},
  "session": {"rounds": 3}, "task": "talk"})";

struct fork_fixture {
  scratch_folder folder;
  std::string source = (folder / "source").string();
  std::string out = (folder / "fork").string();

  explicit fork_fixture(const std::string& scenario,
                        const texts& more = {"--seed", "2"}) {
    texts all{"run", scenario, "--quiet", "--out", source};
    all.insert(all.end(), more.begin(), more.end());
    REQUIRE(run(all).code == 0);
  }

  [[nodiscard]] finished fork(const texts& more) const {
    fs::remove_all(out);
    texts all{"fork", source, "--quiet", "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

std::vector<json::object> events_of(const std::string& folder) {
  std::istringstream lines{read_bytes(folder + "/events.jsonl")};
  std::vector<json::object> all;
  for (std::string line; std::getline(lines, line);) {
    auto event = parse_json(line);
    REQUIRE(event);
    if (event->as_object().contains("event_type"))
      all.push_back(event->as_object());
  }
  return all;
}

/// The values of a payload's member, or of the event itself, in order.
texts told(const std::vector<json::object>& events, const std::string& type,
           const std::string& member) {
  texts all;
  for (const auto& event : events)
    if (event.at("event_type") == json::value(type))
      all.emplace_back(
        event.at("payload").as_object().at(member).as_string().c_str());
  return all;
}

texts types_and_times(const std::vector<json::object>& events) {
  texts all;
  for (const auto& event : events)
    all.push_back(std::string{event.at("event_type").as_string()} + ' '
                  + event.at("timestamp").as_string().c_str());
  return all;
}

/// A scenario file of this text.
std::string written(const scratch_folder& in, const std::string& text) {
  const auto path = (in / "scenario.json").string();
  write_bytes(path, text);
  return path;
}

} // namespace

TEST_CASE("a fork shares what was said, and goes on with what is changed") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk)};
  const auto before = read_bytes(at.source + "/events.jsonl");
  const auto done
    = at.fork({"--at", "4", "--set",
               R"(behaviours.bob={"type": "simulated", "content": "no"})"});
  CHECK(done.code == 0);
  CHECK(read_bytes(at.source + "/events.jsonl") == before);
  const auto source = events_of(at.source);
  const auto fork = events_of(at.out);
  // Bob has the turns 2, 4 and 6: from the fourth on he says something else.
  CHECK(told(fork, "MAPTurnCompleted", "output_summary")
        == texts{"echo: talk", "echo: talk", "echo: talk", "no", "echo: talk",
                 "no"});
  CHECK(fork[0].at("session_id") != source[0].at("session_id"));
  CHECK(fork[0].at("payload").at("session_key")
        != source[0].at("payload").at("session_key"));
  const auto& origin = fork[0].at("payload").at("spec").at("origin");
  CHECK(origin.at("session_id") == source[0].at("session_id"));
  CHECK(origin.at("log").as_string() == at.source);
  // The fourth turn's MAPTurnDispatched is the last event that is shared.
  const auto& last = source[9];
  CHECK(last.at("event_type") == "MAPTurnDispatched");
  CHECK(origin.at("event_id") == last.at("event_id"));
  CHECK(run({"check", at.out}).code == 0);
  CHECK(run({"replay", at.out}).code == 0);
  CHECK(run({"validate", at.out}).code == 0);
}

TEST_CASE("a fork at an event shares all of the input that made it") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk)};
  const auto source = events_of(at.source);
  const auto done
    = at.fork({"--at", source[6].at("event_id").as_string().c_str(), "--set",
               R"(behaviours.*={"type": "simulated", "content": "new"})"});
  CHECK(done.code == 0);
  // Event 6 completes turn 2 and belongs to the input that also begins turn 3.
  CHECK(source[6].at("event_type") == "MAPTurnCompleted");
  CHECK(told(events_of(at.out), "MAPTurnCompleted", "output_summary")
        == texts{"echo: talk", "echo: talk", "new", "new", "new", "new"});
}

TEST_CASE("an unchanged fork of any example goes the recorded way, from "
          "every turn") {
  for (const std::string name :
       {"code-review", "debugging-pair", "refactoring-swarm", "shared-files",
        "structured-vote"}) {
    const fork_fixture at{examples_folder + "/" + name + "/scenario.json",
                          {"--seed", "7"}};
    const auto source = events_of(at.source);
    const auto turns = told(source, "MAPTurnDispatched", "token_id").size();
    for (std::size_t turn = 1; turn <= turns; turn += 2) {
      INFO(name << ", turn " << turn);
      REQUIRE(at.fork({"--at", std::to_string(turn)}).code == 0);
      CHECK(types_and_times(events_of(at.out)) == types_and_times(source));
      CHECK(run({"replay", at.out}).code == 0);
      CHECK(run({"check", at.out}).code == 0);
    }
  }
}

TEST_CASE("without virtual time a fork's past ends now") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk), {}};
  REQUIRE(at.fork({"--at", "6"}).code == 0);
  const auto source = events_of(at.source);
  const auto fork = events_of(at.out);
  CHECK(fork[0].at("timestamp").as_string()
        > source[0].at("timestamp").as_string());
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("a fork can be forked, and its part replaced") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk)};
  REQUIRE(at.fork({"--at", "2"}).code == 0);
  const auto again = (at.folder / "again").string();
  CHECK(run({"fork", at.out, "--at", "5", "--out", again, "--quiet", "--set",
             "task=end"})
          .code
        == 0);
  const auto first = events_of(at.out);
  const auto second = events_of(again);
  CHECK(second[0].at("payload").at("spec").at("origin").at("session_id")
        == first[0].at("session_id"));
  CHECK(run({"replay", again}).code == 0);
}

TEST_CASE("changes that lead elsewhere before the point are refused") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk)};
  const auto refused
    = at.fork({"-v", "--at", "4", "--set", "session.max_turns=2"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("fork_departs") && Contains("it ends")
                            && Contains("another course"));
  CHECK_FALSE(fs::exists(at.out));
  CHECK(at.fork({"--at", "2", "--set", "session.max_turns=2"}).code == 1);
}

TEST_CASE("a fork that nobody can make says why") {
  const scratch_folder folder;
  const fork_fixture at{written(folder, two_talk), {"--instances", "2"}};
  const auto which = at.fork({"--at", "1"});
  CHECK(which.code == 2);
  CHECK_THAT(which.err, Contains("2 sessions") && Contains("--session"));
  const auto id = fs::directory_iterator {
    at.source + "/sessions"
    } -> path().filename();
  CHECK(at.fork({"--at", "1", "--session", id.string()}).code == 0);
  for (const std::string point : {"77", "no such event"}) {
    const auto refused
      = at.fork({"-v", "--at", point, "--session", id.string()});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("fork_point"));
    if (point == "77")
      CHECK_THAT(refused.err, Contains("no turn 77; its last one is "));
  }
  CHECK(at.fork({"--at", "1", "--session", "nobody"}).code == 2);
  const auto no_policy = at.fork(
    {"--at", "1", "--session", id.string(), "--set", "session.policy=nope"});
  CHECK_THAT(no_policy.err, Contains("unknown policy") && Contains("pair"));
  CHECK(at.fork({"--at", "1", "--session", id.string(), "--set", "task"}).code
        == 2);
  CHECK(at.fork({"--at", "1", "--session", id.string(), "--set",
                 R"(behaviours.bob={"type": "nothing"})"})
          .code
        == 2);
  CHECK_FALSE(fs::exists(at.out));
}
