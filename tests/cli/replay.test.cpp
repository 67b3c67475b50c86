#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/marks.hpp>

#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

/// The folder of a run. A guard ends one of the examples, hence 1.
fs::path run_of(const scratch_folder& in, const std::string& scenario,
                const std::vector<std::string>& more = {}) {
  const auto out = in / "out";
  std::vector<std::string> all{"run", scenario, "--quiet", "--out",
                               out.string()};
  all.insert(all.end(), more.begin(), more.end());
  REQUIRE(run(all).code <= 1);
  return out;
}

/// The log again, as one group, so that only its events differ.
void write_log(const fs::path& path, const std::vector<std::string>& events) {
  using namespace convene::host;
  std::string text{log_opened_line};
  text += '\n';
  std::string all = text;
  const auto first = crc32c(text);
  all += to_line({.bytes = text.size(), .crc = first, .previous = 0}) + '\n';
  std::string group;
  for (const auto& line : events)
    group += line + '\n';
  all += group
         + to_line(
           {.bytes = group.size(), .crc = crc32c(group), .previous = first})
         + '\n';
  write_bytes(path, all);
}

std::vector<std::string> events_of(const fs::path& log) {
  std::istringstream in{read_bytes(log)};
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with(R"({"log_)"))
      all.push_back(line);
  return all;
}

std::string changed(std::string text, std::string_view from,
                    std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("every example's log replays to the byte") {
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator{examples_folder}) {
    if (!fs::is_regular_file(entry.path() / "scenario.json"))
      continue;
    INFO(entry.path());
    const scratch_folder folder;
    const auto out = run_of(folder, (entry.path() / "scenario.json").string(),
                            {"--seed", "7"});
    const auto done = run({"replay", out.string()});
    CHECK(done.code == 0);
    CHECK_THAT(done.out, Contains("1 session, all as recorded"));
    ++seen;
  }
  CHECK(seen >= 6);
}

TEST_CASE("a log of other rules is read, and refused where it is computed") {
  const scratch_folder folder;
  const auto out = run_of(folder,
                          examples_folder + "/debugging-pair/scenario.json");
  const auto log = out / "events.jsonl";
  auto events = events_of(log);
  const auto begin = events[0].find(R"("rules":)");
  events[0].erase(begin, events[0].find(R"("spec":)") - begin);
  write_log(log, events);

  for (const auto& reads : {std::vector<std::string>{"check", log.string()},
                            {"events", log.string()},
                            {"validate", log.string()},
                            {"export", log.string(), "--format", "mermaid"}}) {
    INFO(reads[0]);
    CHECK(run(reads).code == 0);
  }
  const auto replayed = run({"replay", log.string()});
  CHECK(replayed.code == 2);
  CHECK_THAT(replayed.out, Contains("rules 1, by convene 0.1.0")
                             && Contains("1 written under other rules")
                             && !Contains("expected"));
  const auto told = parse_json(run({"replay", log.string(), "--json"}).out);
  REQUIRE(told);
  CHECK(told->at("good") == false);
  CHECK(told->at("divergences").as_array().empty());
  CHECK(told->at("refused").at(0).at("rule") == "rules_unsupported");

  const auto forked = run_verbosely(
    {"fork", log.string(), "--at", "1", "--out", (folder / "fork").string()});
  CHECK(forked.code == 2);
  CHECK_THAT(forked.err, Contains("rules_unsupported"));

  events.pop_back(); // an end that was not written
  write_log(log, events);
  fs::remove(out / "result.json");
  const auto resumed = run_verbosely({"resume", out.string()});
  CHECK(resumed.code == 2);
  CHECK_THAT(resumed.err, Contains("rules_unsupported"));
  CHECK(events_of(log) == events);
}

TEST_CASE("several sessions of one log replay, or one that is named") {
  const scratch_folder folder;
  const auto out = run_of(folder,
                          examples_folder + "/debugging-pair/scenario.json",
                          {"--instances", "12", "--seed", "3"});
  const auto all = run({"replay", out.string(), "--json"});
  CHECK(all.code == 0);
  const auto document = parse_json(all.out);
  REQUIRE(document);
  CHECK(document->at("sessions") == 12);
  CHECK(document->at("good") == true);
  CHECK(document->at("divergences").as_array().empty());
  const auto one = fs::directory_iterator {
    out / "sessions"
    } -> path().filename();
  const auto single = run({"replay", out.string(), "--session", one.string()});
  CHECK(single.code == 0);
  CHECK_THAT(single.out, Contains("1 session, all as recorded"));
  const auto none = run({"replay", out.string(), "--session", "nobody"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("no event of this session"));
}

TEST_CASE("the first event that is not what the inputs make is named") {
  const scratch_folder folder;
  const auto out = run_of(folder,
                          examples_folder + "/debugging-pair/scenario.json",
                          {"--seed", "3"});
  const auto log = out / "events.jsonl";
  auto events = events_of(log);
  const auto good = events[4];
  events[4] = changed(events[4], R"("event_id":")", R"("event_id":"f)");
  write_log(log, events);
  const auto done = run({"replay", out.string()});
  CHECK(done.code == 1);
  // The file's first two lines are log_opened and the group that it makes.
  CHECK_THAT(done.out, Contains("events.jsonl:7: ")
                         && Contains("makes another event here")
                         && Contains("1 divergence"));
  const auto as_json = run({"replay", out.string(), "--json"});
  CHECK(as_json.code == 1);
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  const auto& found = document->at("divergences").at(0);
  CHECK(found.at("expected").as_string() == good);
  CHECK(found.at("actual").as_string() == events[4]);
  CHECK(found.at("line") == 7);
}

TEST_CASE("a session's log that stops in the middle of an input diverges") {
  const scratch_folder folder;
  const auto out = run_of(folder,
                          examples_folder + "/debugging-pair/scenario.json",
                          {"--seed", "3"});
  const auto log = out / "events.jsonl";
  auto events = events_of(log);
  SECTION("between two inputs it is only unfinished") {
    // Started, roles, the graph, the first turn.
    events.resize(4);
    write_log(log, events);
    fs::remove(out / "result.json");
    const auto done = run({"replay", out.string()});
    CHECK(done.code == 0);
    CHECK_THAT(done.out, Contains("all as recorded, 1 unfinished"));
  }
  SECTION("within one it is not what the machine makes") {
    events.resize(3);
    write_log(log, events);
    const auto done = run({"replay", out.string()});
    CHECK(done.code == 1);
    CHECK_THAT(done.out,
               Contains("MAPTurnDispatched") && Contains("actual   nothing"));
  }
  SECTION("and after its end nothing may come") {
    events.push_back(events.back());
    write_log(log, events);
    const auto done = run({"replay", out.string()});
    CHECK(done.code == 1);
    CHECK_THAT(done.out, Contains("the session had ended"));
  }
}

TEST_CASE("a torn tail is told, damage is named, no log is refused") {
  const scratch_folder folder;
  const auto out = run_of(folder,
                          examples_folder + "/debugging-pair/scenario.json",
                          {"--seed", "3"});
  const auto log = out / "events.jsonl";
  const auto whole = read_bytes(log);
  write_bytes(log, whole + R"({"event_id":"to)");
  const auto torn = run({"replay", out.string()});
  CHECK(torn.code == 0);
  CHECK_THAT(torn.out, Contains("15 bytes at the end were never acknowledged"));
  auto flipped = whole;
  flipped[flipped.size() / 2] ^= 1;
  write_bytes(log, flipped);
  const auto damaged = run({"replay", out.string()});
  CHECK(damaged.code == 1);
  CHECK_THAT(damaged.out, Contains("events.jsonl:"));
  write_bytes(log, "hello\n");
  CHECK(run({"replay", out.string()}).code == 2);
  CHECK(run({"replay", (folder / "missing").string()}).code == 2);
}
