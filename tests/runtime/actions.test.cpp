#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/forks/fork.hpp>

#include <atomic>
#include <fstream>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

// Agents that answer later and act before they do: what is recorded is not done
// twice, whatever happens to the runtime.

using namespace convene;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

using protocol::action_kind;
using protocol::action_result;
using protocol::action_status;

/// Counts what is done outside, by position.
class outside {
public:
  /// Answers with its position, the first time with a failure that passes if
  /// `fails`.
  actors::attempt_function does(std::string position, bool fails = false) {
    return
      [=, this](const actors::attempt& which, const actors::when_acted& told) {
        {
          const std::lock_guard held{mutex_};
          ++calls_[position];
          keys_[position].insert(which.idempotency_key);
        }
        if (fails && which.number == 1)
          told({.status = action_status::failed,
                .error = {"unavailable", "not now", true}});
        else
          told({.output = position.c_str(), .usage = {.prompt_tokens = 1}});
        return actors::cancel_function{};
      };
  }

  int calls(const std::string& position) {
    const std::lock_guard held{mutex_};
    return calls_[position];
  }
  std::set<std::string> keys(const std::string& position) {
    const std::lock_guard held{mutex_};
    return keys_[position];
  }

private:
  std::mutex mutex_;
  std::map<std::string, int> calls_;
  std::map<std::string, std::set<std::string>> keys_;
};

struct planned {
  std::string position;
  bool repeatable = true;
  bool fails = false; ///< once
};

const std::vector<planned> three_actions{{"1"},
                                         {"1.0", false},
                                         {"1.1", true, true}};

/// Does one after the other, and answers with the outputs, or the first error.
void act(const std::shared_ptr<actors::live_turn>& live, outside& world,
         const std::vector<planned>& all, std::size_t next = 0,
         std::string said = {}) {
  if (next == all.size()) {
    live->answer({.content = std::move(said)});
    return;
  }
  const auto& [position, repeatable, fails] = all[next];
  live->act({.position = position,
             .kind = action_kind::function,
             .name = "f",
             .arguments = {{"at", position}},
             .repeatable = repeatable},
            {.attempts = 2, .first_delay_ms = 10}, world.does(position, fails),
            [&, live, next, said = std::move(said)](action_result result) {
              if (result.status == action_status::completed)
                act(live, world, all, next + 1,
                    said + std::string{result.output.as_string()} + ' ');
              else
                live->answer({.content = result.error.code});
            });
}

/// An agent that does these.
participant worker(outside& world, const std::vector<planned>& all) {
  return async_agent("a", "role-a",
                     [&](const turn_request& asked, const responder&) {
                       act(asked.live, world, all);
                     });
}

/// The positions in events of this type; with `input` only where it is one.
std::multiset<std::string> positions(const texts& events,
                                     std::string_view type) {
  std::multiset<std::string> all;
  for (const auto& line : events) {
    const auto event = protocol::parse_json(line).value().as_object();
    const auto& payload = protocol::object_of(event, "payload");
    if (protocol::text_of(event, "event_type") == type
        && payload.contains("input"))
      all.emplace(protocol::text_of(payload, "position"));
  }
  return all;
}

texts lines_of(const std::string& text) {
  std::istringstream from{text};
  texts all;
  for (std::string line; std::getline(from, line);)
    all.push_back(std::move(line));
  return all;
}

std::string last_said(const result<session_result>& ended) {
  return std::string{ended->report->talk.entries().back().content};
}

runtime_options seeded(const fs::path& log) {
  return {.log = log, .seed = 11};
}

} // namespace

TEST_CASE("an asynchronous agent acts, and each attempt is on the log") {
  const scratch_folder folder;
  outside world;
  auto rt = runtime::open({.log = folder / "log.jsonl"}).value();
  const auto ended
    = rt->start({.participants = {worker(world, three_actions)}, .task = "act"})
        .await();
  REQUIRE(ended);
  CHECK(last_said(ended) == "1 1.0 1.1 ");
  CHECK(ended->usage.prompt_tokens == 3);
  REQUIRE(rt->close());
  const auto events = events_of(folder / "log.jsonl");
  CHECK(positions(events, "action_started")
        == std::multiset<std::string>{"1", "1.0", "1.1", "1.1"});
  CHECK(positions(events, "action_ended")
        == positions(events, "action_started"));
  CHECK(is_between_inputs(events, events.size()));
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log.jsonl", sessions).empty());
}

TEST_CASE("from any place of its log, a turn does again nothing recorded") {
  const scratch_folder folder;
  texts whole;
  {
    outside world;
    auto rt = runtime::open(seeded(folder / "whole.jsonl")).value();
    CHECK(
      rt->start({.participants = {worker(world, three_actions)}, .task = "act"})
        .await());
    REQUIRE(rt->close());
    whole = events_of(folder / "whole.jsonl");
  }
  int interrupted = 0;
  for (std::size_t count = 3; count < whole.size(); ++count) {
    if (!is_between_inputs(whole, count))
      continue;
    CAPTURE(count);
    const texts before{whole.begin(),
                       whole.begin() + static_cast<std::ptrdiff_t>(count)};
    const auto started = positions(before, "action_started");
    const auto done = positions(before, "action_ended");
    const auto log = folder / (std::to_string(count) + ".jsonl");
    write_log(log, before);
    outside world;
    auto rt
      = runtime::open(seeded(log),
                      {.functions = {{"a", worker(world, three_actions)}}})
          .value();
    REQUIRE(rt->recovered().sessions.size() == 1);
    const auto ended = rt->recovered().sessions[0].await();
    REQUIRE(ended);
    const bool unknown = started.contains("1.0") && !done.contains("1.0");
    interrupted += unknown ? 1 : 0;
    CHECK(last_said(ended) == (unknown ? "outcome_unknown" : "1 1.0 1.1 "));
    CHECK(world.calls("1") == (done.contains("1") ? 0 : 1));
    CHECK(world.calls("1.0") == (started.contains("1.0") ? 0 : 1));
    if (!unknown)
      CHECK(world.calls("1.1") >= (done.count("1.1") == 2 ? 0 : 1));
    if (done.count("1.1") == 2)
      CHECK(world.calls("1.1") == 0);
    REQUIRE(rt->close());
    const auto after = events_of(log);
    CHECK(is_between_inputs(after, after.size()));
    std::size_t sessions = 0;
    CHECK(findings_in(log, sessions) == "");
  }
  CHECK(interrupted > 0);
}

TEST_CASE("from any place of a log, a fork begins nothing that was begun") {
  const scratch_folder folder;
  const auto source = folder / "whole.jsonl";
  {
    outside world;
    auto rt = runtime::open(seeded(source)).value();
    CHECK(
      rt->start({.participants = {worker(world, three_actions)}, .task = "act"})
        .await());
    REQUIRE(rt->close());
  }
  protocol::uuid_source ids{3};
  int forks = 0;
  int open_ones = 0;
  for (const auto& line : events_of(source)) {
    const auto event = protocol::parse_json(line).value().as_object();
    CAPTURE(line);
    const auto made = host::fork_session(
      source, {.event_id = std::string{protocol::text_of(event, "event_id")},
               .ids = ids});
    if (!made) {
      CHECK(made.error().rule == "fork_point"); // the session has ended there
      continue;
    }
    const auto shared = lines_of(made->events);
    const auto begun = positions(shared, "action_started");
    const auto ended = positions(shared, "action_ended");
    const bool open = begun != ended;
    const auto log = folder / ("fork" + std::to_string(++forks) + ".jsonl");
    write_log(log, shared);
    outside world;
    auto rt
      = runtime::open(seeded(log),
                      {.functions = {{"a", worker(world, three_actions)}}})
          .value();
    REQUIRE(rt->recovered().sessions.size() == 1);
    const auto result = rt->recovered().sessions[0].await();
    REQUIRE(result);
    open_ones += open ? 1 : 0;
    CHECK(last_said(result) == (open ? "outcome_unknown" : "1 1.0 1.1 "));
    // What was begun is not begun again; the last one fails once.
    if (open)
      for (const auto* position : {"1", "1.0", "1.1"})
        CHECK(world.calls(position) == 0);
    else
      CHECK(world.calls("1") + world.calls("1.0") + world.calls("1.1")
            == 4 - static_cast<int>(begun.size()));
    REQUIRE(rt->close());
    const auto after = events_of(log);
    CHECK(is_between_inputs(after, after.size()));
    std::size_t sessions = 0;
    CHECK(findings_in(log, sessions) == "");
  }
  CHECK(open_ones == 4);
  CHECK(forks > open_ones);
}

TEST_CASE("a turn after a suspension takes up what was done before it") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  outside world;
  std::optional<responder> unanswered;
  {
    std::latch acted{1};
    auto rt = runtime::open({.log = log}).value();
    const auto session = rt->start(
      {.participants
       = {async_agent("a", "role-a",
                      [&](const turn_request&, const responder& to) {
                        unanswered = to;
                        to.turn().act({.position = "1",
                                       .kind = action_kind::function,
                                       .name = "f",
                                       .arguments = {{"at", "1"}},
                                       .repeatable = true},
                                      {}, world.does("1"),
                                      [](const action_result&) {});
                      })},
       .task = "act",
       .options = {.turn_timeout_ms = 3'000'000}},
      [&acted](std::string_view, std::string_view events) {
        if (events.find("action_ended") != events.npos && !acted.try_wait())
          acted.count_down();
      });
    acted.wait();
    rt->suspend_all("later");
    CHECK_FALSE(session.await());
    REQUIRE(rt->close());
  }
  auto rt = runtime::open({.log = log},
                          {.functions = {{"a", worker(world, three_actions)}},
                           .resume_suspended = true})
              .value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  const auto ended = rt->recovered().sessions[0].await();
  REQUIRE(ended);
  CHECK(last_said(ended) == "1 1.0 1.1 ");
  CHECK(world.calls("1") == 1);
  CHECK(world.calls("1.0") == 1);
  CHECK(world.keys("1.1").size() == 1);
  CHECK(world.keys("1.1").begin()->substr(0, 36)
        == world.keys("1").begin()->substr(0, 36));
  CHECK(ended->turns == 2);
  CHECK(ended->usage.prompt_tokens == 3);
}

TEST_CASE("an agent answers later, from a thread of its own") {
  const auto seed = GENERATE(as<std::optional<std::uint64_t>>{}, std::nullopt,
                             7);
  runtime_options how_to;
  how_to.seed = seed;
  std::atomic<bool> taken{false};
  std::vector<std::thread> threads;
  {
    convene::runtime rt{how_to};
    const auto ended
      = rt.start({.participants
                  = {async_agent("a", "role",
                                 [&](const turn_request&, responder to) {
                                   threads.emplace_back([&taken, to] {
                                     taken
                                       = to.answer({.content = "from there"});
                                   });
                                 })},
                  .task = "answer"})
          .await();
    REQUIRE(ended);
    CHECK(last_said(ended) == "from there");
  }
  for (auto& each : threads)
    each.join();
  CHECK(taken);
}

TEST_CASE("an agent that answers later learns that nobody waits any more") {
  std::latch asked{1};
  std::latch told{1};
  std::optional<responder> kept;
  convene::runtime rt;
  const auto session = rt.start(
    {.participants = {async_agent("a", "role",
                                  [&](const turn_request&, responder to) {
                                    kept = to;
                                    to.turn().when_over(
                                      [&] { told.count_down(); });
                                    asked.count_down();
                                  })},
     .task = "wait"});
  asked.wait();
  CHECK_FALSE(kept->is_over());
  session.cancel("enough");
  told.wait();
  CHECK(session.await());
  CHECK(kept->is_over());
  CHECK_FALSE(kept->answer({.content = "too late"}));
}
