#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <chrono>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// Whoever is asked second never answers.
const std::string waits = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"},
    {"participant_id": "bob", "role_id": "role-reviewer"}]},
  "behaviours": {"bob": {"type": "simulated", "silence": 1},
                 "*": {"type": "echo"}},
  "session": {"turn_timeout_ms": 3600000, "max_duration_ms": 36000000},
  "task": "wait for ever"})";

struct resume_fixture : run_fixture {
  using run_fixture::run_fixture;

  [[nodiscard]] json::value document(const std::string& name) const {
    const auto read = parse_json(read_bytes(fs::path{out} / name));
    REQUIRE(read);
    return *read;
  }

  /// Starts the run and sends the signal once bob waits.
  [[nodiscard]] finished interrupted(int number) const {
    program running{{"run", scenario, "--out", out}};
    const auto log = out + "/events.jsonl";
    const auto is_asked = [&log] {
      const auto bytes = fs::exists(log) ? read_bytes(log) : "";
      const auto turn = bytes.find(R"("turn_number":2)");
      // The line that closes the group is on the log, too: a kill in the
      // middle of its bytes would leave the turn off it.
      return turn != std::string::npos
             && bytes.find('\n', bytes.find("{\"log_group\"", turn))
                  != std::string::npos;
    };
    while (!is_asked() && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(number);
    return running.wait();
  }
};

/// The values of a member in the events of a log, in order.
std::vector<std::string> told(const std::string& log, const std::string& type,
                              const std::string& member) {
  std::istringstream lines{read_bytes(log)};
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof()) // without its end: it is being written
      break;
    const auto event = parse_json(line);
    REQUIRE(event);
    const auto* name = event->as_object().if_contains("event_type");
    if (name == nullptr || *name != json::value(type))
      continue;
    const auto* found = event->at("payload").as_object().if_contains(member);
    all.emplace_back(found == nullptr ? "" : found->as_string().c_str());
  }
  return all;
}

} // namespace

TEST_CASE("a signal suspends what runs, and resume goes on with it") {
  const auto [number, code]
    = GENERATE(table<int, int>({{SIGINT, 130}, {SIGTERM, 143}}));
  const resume_fixture at{waits};
  const auto done = at.interrupted(number);
  CHECK(done.code == code);
  CHECK_THAT(done.out, Contains("1 session suspended; to resume: convene "
                                "resume "
                                + at.out));
  CHECK_FALSE(fs::exists(at.out + "/result.json"));
  // The others are there as they stand.
  for (const auto& [name, status] : {std::pair{"collab.json", "suspended"},
                                     {"dialog.json", "paused"},
                                     {"trace.json", "running"},
                                     {"context.json", "active"}})
    CHECK(at.document(name).at("status") == status);
  CHECK(at.document("dialog.json").at("messages").as_array().size() == 2);
  CHECK(at.document("trace.json").at("segments").at(1).at("status")
        == "cancelled");
  CHECK(run({"validate", at.out}).code == 0);
  CHECK(run({"graph", at.out}).code == 0); // of documents and log alike
  const auto packed = run({"pack", at.out, "--out", at.out + "-pack"});
  CHECK(packed.code == 2);
  CHECK_THAT(packed.err, Contains("is suspended; resume it first"));
  const auto log = at.out + "/events.jsonl";
  CHECK(told(log, "session_input", "input")
        == std::vector<std::string>{"suspend"});
  CHECK(told(log, "MAPTurnCompleted", "status")
        == std::vector<std::string>{"completed", "cancelled"});
  CHECK(run({"check", at.out, "--allow-unfinished"}).code == 0);
  CHECK(run({"replay", at.out}).code == 0);

  program again{{"resume", at.out}};
  while (told(log, "MAPTurnDispatched", "participant_id").size() < 3
         && !again.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  CHECK_FALSE(fs::exists(at.out + "/collab.json")); // while it goes on
  again.signal(number);
  CHECK(again.wait().code == code);
  CHECK(at.document("collab.json").at("status") == "suspended");
  CHECK(told(log, "session_input", "input")
        == std::vector<std::string>{"suspend", "resume", "suspend"});
  CHECK(run({"replay", at.out}).code == 0);
}

TEST_CASE("a killed run goes on under the same token and ends") {
  const resume_fixture at{waits};
  REQUIRE(at.interrupted(SIGKILL).code == 128 + SIGKILL);
  const auto log = at.out + "/events.jsonl";
  const auto before = told(log, "MAPTurnDispatched", "token_id");
  REQUIRE(before.size() == 2);
  // What is stopped before it has the session leaves it as it was.
  for (std::chrono::milliseconds time{200};
       told(log, "MAPTurnCompleted", "token_id").size() < 2
       && time < std::chrono::minutes{2};
       time *= 2) {
    program again{{"resume", at.out, "--json"}};
    std::this_thread::sleep_for(time);
    again.signal(SIGTERM);
    CHECK(again.wait().code == 143);
  }
  CHECK(told(log, "MAPTurnDispatched", "token_id") == before);
  CHECK(told(log, "MAPTurnCompleted", "token_id") == before);
}

TEST_CASE("documents that a run did not get to write are written") {
  const resume_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  const auto result = at.document("result.json");
  const auto trace = at.document("trace.json");
  fs::remove(at.out + "/result.json");
  fs::remove(at.out + "/trace.json");
  const auto log = read_bytes(at.out + "/events.jsonl");
  CHECK(run({"resume", at.out, "--quiet"}).code == 0);
  CHECK(at.document("result.json") == result);
  CHECK(at.document("trace.json") == trace);
  CHECK(read_bytes(at.out + "/events.jsonl") == log);
}

TEST_CASE("documents that a loss of power left empty are written again") {
  const auto name = GENERATE(as<std::string>{}, "result.json", "collab.json",
                             "dialog.json");
  const resume_fixture some{answers};
  REQUIRE(some.run_with().code == 0);
  write_bytes(fs::path{some.out} / name, "");
  CHECK(run({"resume", some.out}).code == 0);
  CHECK_FALSE(read_bytes(fs::path{some.out} / name).empty());
  CHECK_THAT(run({"resume", some.out}).out, Contains("Nothing to resume"));
}

TEST_CASE("a document that cannot be written leaves the others' sessions for "
          "later") {
  const resume_fixture some{answers};
  const auto out = fs::path{some.out};
  // They answer once something is in the way.
  const auto go = (some.folder / "go").string();
  const json::object waits_for_it{
    {"type", "process"},
    {"repeatable", true},
    {"command",
     {"sh", "-c",
      "cat >/dev/null; while [ ! -e " + go
        + R"( ]; do sleep 0.02; done; echo '{"content": "x"}')"}}};
  program running{
    {"run", some.scenario, "--out", some.out, "--quiet", "--instances", "5",
     "--allow", "run=sh", "--set",
     "behaviours=" + json::serialize(json::object{{"*", waits_for_it}})}};
  while (!fs::exists(out / "log/000001.jsonl") && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  write_bytes(out / "sessions", "in the way");
  write_bytes(go, "");
  CHECK(running.wait().code == 3);
  fs::remove(out / "sessions");
  CHECK(run({"resume", some.out, "--allow", "run=sh"}).code == 0);
  const auto log = run({"events", some.out, "--jsonl"}).out;
  CHECK_THAT(log, !Contains("the runtime was closed"));
  CHECK(std::distance(fs::directory_iterator{out / "sessions"}, {}) == 5);
}

TEST_CASE("a folder that has all has nothing to resume") {
  const resume_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  const auto done = run({"resume", at.out});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("Nothing to resume"));
  const auto as_json = run({"resume", at.out, "--json"});
  CHECK(as_json.code == 0);
  CHECK(parse_json(as_json.out)->at("finished") == true);
}

TEST_CASE("a log of several sessions that somebody put into a folder goes on "
          "where their documents have a place") {
  const resume_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "3"}).code == 0);
  const auto bytes = read_bytes(at.out + "/log/000001.jsonl");
  const auto one = at.folder / "one";
  fs::create_directories(one);
  write_bytes(one / "events.jsonl", bytes);
  const auto refused = run({"resume", one.string()});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("has 3 sessions") && Contains("log/000001.jsonl"));
  const auto several = at.folder / "several";
  fs::create_directories(several / "log");
  write_bytes(several / "log/000001.jsonl", bytes);
  CHECK(run({"resume", several.string()}).code == 0);
  CHECK(std::distance(fs::directory_iterator{several / "sessions"}, {}) == 3);
}

TEST_CASE("sessions that never began are started") {
  const resume_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "5", "--seed", "4"}).code == 0);
  std::set<std::string> ids;
  for (const auto& entry : fs::directory_iterator{at.out + "/sessions"})
    ids.insert(entry.path().filename());
  REQUIRE(ids.size() == 5);
  // As if it had been killed before it had a log.
  fs::remove_all(at.out + "/sessions");
  fs::remove_all(at.out + "/log");
  fs::create_directory(at.out + "/log");
  CHECK(run({"resume", at.out, "--quiet"}).code == 0);
  std::set<std::string> again;
  for (const auto& entry : fs::directory_iterator{at.out + "/sessions"})
    again.insert(entry.path().filename());
  CHECK(again == ids);
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("a run that was killed while its log was begun is begun again") {
  for (const char* begun : {"", R"({"log_opened":{"for)"}) {
    const resume_fixture at{answers};
    REQUIRE(at.run_with({"--seed", "4"}).code == 0);
    const auto whole = run({"events", at.out, "--jsonl"}).out;
    REQUIRE_FALSE(whole.empty());
    fs::remove(at.out + "/result.json");
    write_bytes(at.out + "/events.jsonl", begun);
    CHECK(run({"resume", at.out, "--quiet"}).code == 0);
    CHECK(run({"check", at.out}).code == 0);
    CHECK(run({"events", at.out, "--jsonl"}).out == whole);
  }
}

TEST_CASE("a torn tail is cut and told") {
  const resume_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  const auto log = at.out + "/events.jsonl";
  const auto whole = read_bytes(log);
  write_bytes(log, whole + R"({"event_id":"x)");
  const auto done = run({"resume", at.out});
  CHECK(done.code == 0);
  CHECK_THAT(done.err, Contains("14 bytes"));
  CHECK(read_bytes(log) == whole);
}

TEST_CASE("a session that was told as ended and is not on the log any more is "
          "not run again unless that is accepted") {
  const resume_fixture at{answers};
  const auto several = GENERATE(false, true);
  const auto more = several ? std::vector<std::string>{"--instances", "3"}
                            : std::vector<std::string>{};
  REQUIRE(at.run_with(more).code == 0);
  const fs::path out{at.out};
  const auto log = out / (several ? "log/000001.jsonl" : "events.jsonl");
  SECTION("the last group") {
    fs::resize_file(log, fs::file_size(log) - 1);
  }
  SECTION("all of it") {
    fs::remove(log);
  }
  SECTION("also what is on record beside it") {
    fs::remove(log);
    fs::remove(out / "log/ended");
  }
  const auto results = [&] {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator{out})
      if (entry.path().filename() == "result.json")
        all += entry.path().string() + read_bytes(entry.path());
    return all;
  };
  const auto before = results();
  const auto refused = run_verbosely({"resume", at.out});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("session_end_missing")
               && Contains("convene resume " + at.out + " --accept-loss"));
  CHECK(results() == before);

  CHECK(run({"resume", at.out, "--quiet", "--accept-loss"}).code == 0);
  CHECK(run({"check", at.out}).code == 0);
  CHECK_THAT(run({"resume", at.out}).out, Contains("Nothing to resume"));
}

TEST_CASE("what cannot be resumed is refused with the reason") {
  const resume_fixture at{answers};
  const auto missing = run({"resume", at.out});
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("there is no such folder"));
  const auto file = run({"resume", at.scenario});
  CHECK(file.code == 2);
  CHECK_THAT(file.err,
             Contains(at.scenario + ": is a file; name the folder that a run"));
  fs::create_directory(at.out);
  const auto empty = run({"resume", at.out});
  CHECK(empty.code == 2);
  CHECK_THAT(empty.err, Contains("no run wrote this folder"));
  fs::remove(at.out);
  REQUIRE(at.run_with().code == 0);
  SECTION("settings that nobody wrote") {
    write_bytes(at.out + "/run.json", R"({"instances": 0})");
    const auto refused = run({"resume", at.out});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("run.json") && Contains("/instances"));
  }
  SECTION("a scenario that is none") {
    write_bytes(at.out + "/scenario.json", "{}");
    const auto refused = run({"resume", at.out});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("scenario.json"));
  }
  SECTION("a log that is damaged") {
    auto log = read_bytes(at.out + "/events.jsonl");
    log[log.size() / 2] ^= 1;
    write_bytes(at.out + "/events.jsonl", log);
    const auto refused = run({"resume", at.out});
    CHECK(refused.code != 0);
    CHECK_THAT(refused.err, Contains("events.jsonl:"));
    CHECK(read_bytes(at.out + "/events.jsonl") == log);
  }
}

namespace {

/// A run in which ann's replies are those of a log in another folder.
struct recorded_elsewhere {
  scratch_folder elsewhere;
  std::string allowed = "read=" + elsewhere.path().string();
  run_fixture with{recorded()};

  [[nodiscard]] std::string recorded() const {
    const auto first = (elsewhere / "first").string();
    write_bytes(elsewhere / "scenario.json", answers);
    REQUIRE(run({"run", (elsewhere / "scenario.json").string(), "--quiet",
                 "--out", first})
              .code
            == 0);
    auto text = answers;
    return text.insert(1,
                       R"("behaviours": {"ann": {"type": "recorded", "log": ")"
                         + first + R"(/events.jsonl"}}, )");
  }
};

} // namespace

TEST_CASE("a run's folder names no log that its user has not allowed") {
  const recorded_elsewhere at;
  const auto& with = at.with;
  const auto refused = with.run_with();
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--allow read="));
  REQUIRE(with.run_with({"--allow", at.allowed}).code == 0);
  // As if it had been killed, before its log began or after its first turn.
  const auto log = with.out + "/events.jsonl";
  const auto whole = read_bytes(log);
  const auto turn = whole.find("\"turn_number\":2");
  const auto group = whole.rfind("{\"log_group\"", turn);
  REQUIRE(group != std::string::npos);
  for (const auto& left :
       {std::string{}, whole.substr(0, whole.find('\n', group) + 1)}) {
    CAPTURE(left.size());
    if (left.empty())
      fs::remove(log);
    else
      write_bytes(log, left);
    const auto stranger = run({"resume", with.out, "--accept-loss", "--json"});
    CAPTURE(stranger.out, stranger.err);
    CHECK(stranger.code != 0);
    CHECK_THAT(stranger.out + stranger.err, Contains("--allow read="));
    const auto own = run(
      {"resume", with.out, "--accept-loss", "--allow", at.allowed, "--json"});
    CAPTURE(own.out, own.err);
    CHECK(own.code == 0);
  }
}

TEST_CASE("a fork of a stranger's log reads no log that is not allowed") {
  const recorded_elsewhere at;
  const auto& with = at.with;
  REQUIRE(with.run_with({"--allow", at.allowed}).code == 0);
  const auto fork = [&](const std::string& out,
                        const std::vector<std::string>& more) {
    std::vector<std::string> words{
      "fork",  with.out + "/events.jsonl",          "--at", "2",
      "--out", (with.folder / out.c_str()).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const auto refused = fork("one", {});
  CHECK(refused.code != 0);
  CHECK_THAT(refused.err, Contains("--allow read="));
  CHECK(fork("two", {"--allow", at.allowed}).code == 0);
}

TEST_CASE("a folder that is run names no file beside it") {
  const run_fixture with{answers};
  REQUIRE(with.run_with().code == 0);
  const auto documents = with.folder / "documents";
  fs::create_directory(documents);
  fs::copy(with.out + "/collab.json", documents / "collab.json");
  fs::create_symlink(with.out + "/context.json", documents / "context.json");
  const auto refused = run_verbosely({"run", documents.string()});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("permission_needed"));
}
