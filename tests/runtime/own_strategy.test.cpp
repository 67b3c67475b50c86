#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/audit_log.hpp>
#include <convene/runtime/audit/replay_audit.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/session/options/application_strategy.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

/// The longer text stands.
constexpr session::application_strategy longest{
  .name = "longest",
  .summary = "the longer text stands",
  .settle = [](const session::contested_write& what) {
    using enum session::resolution_kind;
    const auto size = [](const protocol::json::value* of) {
      return of != nullptr && of->is_string() ? of->get_string().size() : 0;
    };
    return size(what.later) > size(what.current)
             ? session::conflict_ruling{.outcome = replace, .reason = "longer"}
             : session::conflict_ruling{.reason = "not longer"};
  }};

/// In each process once.
void add_longest() {
  if (session::find_strategy("longest") == nullptr)
    REQUIRE(session::add_strategy(longest));
}

participant writer(const char* id, const char* text) {
  return quick_agent(id, "writer", [text](const turn_request&) {
    return reply{.writes = {{.resource_type = "doc",
                             .resource_id = "plan",
                             .base_version = 1,
                             .value = text}}};
  });
}

session_setup two_writers() {
  options how;
  how.conflicts = {.strategy = session::conflict_strategy::application,
                   .name = "longest"};
  how.rounds = 1;
  return {.mode = mode::round_robin,
          .participants = {writer("a", "short"), writer("b", "much longer")},
          .task = "write",
          .workspace = {{"doc", "plan", "begun"}},
          .options = how};
}

/// Whether it says that this strategy is missing, and which ones there are.
bool names_largest(const std::string& message) {
  return message.find("largest") != std::string::npos
         && message.find("longest") != std::string::npos;
}

} // namespace

TEST_CASE("a strategy of the application settles, and its log replays and "
          "checks") {
  add_longest();
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  {
    auto rt = runtime::open({.log = log, .seed = 3}).value();
    const auto ended = rt->start(two_writers()).await();
    REQUIRE(ended);
    CHECK(ended->conflicts == 1);
    REQUIRE(rt->close());
  }
  CHECK(read_bytes(log).find("longest: longer") != std::string::npos);
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions).empty());
  CHECK(sessions == 1);
}

TEST_CASE("a log whose strategy the program lacks is checked, not computed, "
          "and not continued") {
  add_longest();
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  auto waits = two_writers();
  waits.participants[1] = async_agent("b", "writer", [](const auto&, auto) {});
  {
    auto rt = runtime::open({.log = log}).value();
    const auto session = rt->start(waits);
    REQUIRE_FALSE(session.refused());
    REQUIRE(rt->flush());
    rt->halt_all();
    static_cast<void>(session.await());
  }
  auto events = events_of(log);
  for (auto& line : events)
    for (auto at = line.find("\"longest\""); at != line.npos;
         at = line.find("\"longest\""))
      line.replace(at, 9, "\"largest\"");
  write_log(log, events);
  const auto started = protocol::parse_json(events.front());
  CHECK_FALSE(host::can_be_recomputed(started->as_object()));

  const auto verdict = host::audit_log(log.string(), true);
  REQUIRE(verdict);
  CHECK(verdict->sessions == 1);
  CHECK(verdict->recomputed == 0);
  // That the name was changed here, and nothing else.
  REQUIRE(verdict->findings_total == 1);
  CHECK(verdict->findings.front().what.rule == "digests_match");

  const auto replayed = host::replay_log(log.string(), {});
  REQUIRE(replayed);
  CHECK_FALSE(replayed->good());
  REQUIRE(replayed->sessions.front().divergence);
  CHECK(names_largest(replayed->sessions.front().divergence->message));

  auto rt = runtime::open({.log = log}).value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  const auto ended = rt->recovered().sessions.front().await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().rule == "replay_diverged");
  CHECK(names_largest(ended.error().message));
  REQUIRE(rt->close());
  CHECK(events_of(log) == events);
}

TEST_CASE("an unknown strategy is refused with the names that exist") {
  add_longest();
  auto rt = runtime::open({}).value();
  auto wrong = two_writers();
  wrong.options.conflicts.name = "largest";
  const auto session = rt->start(wrong);
  REQUIRE(session.refused());
  CHECK(session.refused()->rule == "known_strategy");
  CHECK(session.refused()->message.find("use one of longest")
        != std::string::npos);
}
