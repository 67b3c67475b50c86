#include "sample.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

using namespace convene;
using namespace convene::tests;

namespace {

/// The log's file of a seeded runtime in which a session of each mode runs,
/// all at the same time.
std::string seeded_log(std::uint64_t seed,
                       durability kept = durability::group) {
  const scratch_folder folder;
  {
    convene::runtime rt{{.log = folder / "log.jsonl",
                         .durability = kept,
                         .snapshot_events = 20,
                         .seed = seed}};
    std::vector<session_handle> sessions;
    std::uint64_t number = 0;
    for (auto mode : all_modes) {
      sessions.push_back(rt.start(simulated_in(mode, ++number)));
      sessions.push_back(rt.start(two_in(mode)));
    }
    for (const auto& session : sessions)
      REQUIRE(session.await());
    REQUIRE(rt.close());
  }
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log.jsonl", sessions).empty());
  CHECK(sessions == 2 * std::size(all_modes));
  return read_bytes(folder / "log.jsonl");
}

session::spec silent(std::uint64_t number) {
  auto made = simulated_in(mode::round_robin, number);
  made.behaviours = {{"*", {{"type", "simulated"}, {"silence", 1.0}}}};
  return made;
}

} // namespace

TEST_CASE("the same seed gives the same log, byte for byte") {
  const auto kept = GENERATE(durability::none, durability::group);
  const auto once = seeded_log(1, kept);
  for (int i = 0; i < 5; ++i)
    CHECK(once == seeded_log(1, kept));
  CHECK(once != seeded_log(2, kept));
}

TEST_CASE("sessions that differ share no id under one seed") {
  const auto ids_of = [](const session_setup& first) {
    convene::runtime rt{{.seed = 1}};
    std::set<std::string> ids;
    for (int i = 0; i < 2; ++i) { // the same one twice
      const auto ended = rt.start(first).await();
      REQUIRE(ended);
      ids.insert(ended->collab.collab_id);
      ids.insert(ended->context.context_id);
      ids.insert(to_string(ended->report->key));
    }
    CHECK(ids.size() == 6);
    return ids;
  };
  const auto ids = ids_of(two_in(mode::round_robin));
  CHECK(ids == ids_of(two_in(mode::round_robin)));
  auto other = two_in(mode::round_robin);
  other.task = "something else";
  for (const auto& id : ids_of(other))
    CHECK_FALSE(ids.contains(id));
}

TEST_CASE("a session's key follows from all of its scenario") {
  const auto key_of = [](session::spec scenario) {
    convene::runtime rt{{.seed = 1}};
    const auto ended = rt.start(std::move(scenario)).await();
    REQUIRE(ended);
    return ended->report->key;
  };
  const auto scenario = simulated_in(mode::round_robin, 1);
  CHECK(key_of(scenario) == key_of(scenario));
  auto other = scenario;
  other.options.turn_timeout_ms = 29'999;
  CHECK_FALSE(key_of(other) == key_of(scenario));
  other = scenario;
  other.behaviours["*"] = {{"type", "echo"}};
  CHECK_FALSE(key_of(other) == key_of(scenario));
}

TEST_CASE("virtual time passes only while everybody waits") {
  convene::runtime rt{{.seed = 1, .virtual_start = 1'000'000'000'000}};
  auto slow = simulated_in(mode::round_robin, 1);
  slow.behaviours
    = {{"*", {{"type", "simulated"}, {"latency_ms", 20'000'000}}}};
  slow.options.turn_timeout_ms = 30'000'000;
  slow.options.max_duration_ms = 100'000'000;
  const auto first = rt.start(slow).await();
  REQUIRE(first);
  CHECK(first->duration_ms == 40'000'000);
  const auto second = rt.start(two_in(mode::pair)).await();
  REQUIRE(second);
  CHECK(second->duration_ms == 0);
}

TEST_CASE("under virtual time silence costs a timeout") {
  convene::runtime rt{{.seed = 1}};
  const auto ended = rt.start(silent(1)).await();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "no_turn_completed");
  CHECK(ended->duration_ms == 60'000);
}

TEST_CASE("under virtual time functions run where await is called") {
  convene::runtime rt{{.seed = 1}};
  std::thread::id where;
  const auto session
    = rt.start({.participants = {agent("a", "role",
                                       [&](const turn_request&) {
                                         where = std::this_thread::get_id();
                                         return reply{};
                                       })},
                .task = "work"});
  CHECK_FALSE(session.await_for(std::chrono::milliseconds{0}));
  CHECK(where == std::thread::id{});
  REQUIRE(session.await_for(std::chrono::milliseconds{1}));
  CHECK(where == std::this_thread::get_id());
  REQUIRE(session.await_for(std::chrono::milliseconds{0}));
}

TEST_CASE("a function names the virtual time that its answer took") {
  convene::runtime rt{{.seed = 1}};
  const auto ended
    = rt.start(
          {.participants
           = {timed_agent("a", "role",
                          [](const turn_request&) {
                            return timed_reply{{.content = "said"}, 20'000};
                          }),
              timed_agent("b", "role",
                          [](const turn_request&) -> timed_reply {
                            throw std::runtime_error{"no"};
                          })},
           .task = "work"})
        .await();
  REQUIRE(ended);
  CHECK(ended->duration_ms == 20'000);
  CHECK(ended->dialog().messages.back().content == "said");
}

TEST_CASE("virtual time stands still while an agent works on its own thread") {
  convene::runtime rt{{.seed = 1}};
  std::vector<std::jthread> workers;
  const auto ended
    = rt.start({.participants
                = {async_agent("a", "role",
                               [&](const turn_request&, const responder& to) {
                                 workers.emplace_back([to] {
                                   std::this_thread::sleep_for(
                                     std::chrono::milliseconds{30});
                                   to.answer({.content = "thought"});
                                 });
                               })},
                .task = "work"})
        .await();
  REQUIRE(ended);
  CHECK(ended->duration_ms == 0);
  CHECK(ended->dialog().messages.back().content == "thought");
}

TEST_CASE(
  "an agent that never answers loses its turn under virtual time, too") {
  convene::runtime rt{{.seed = 1}};
  std::vector<responder> held;
  const auto ended
    = rt.start({.participants
                = {async_agent("a", "role",
                               [&](const turn_request&, const responder& to) {
                                 held.push_back(to);
                               })},
                .task = "work",
                .options = {.turn_timeout_ms = 20}})
        .await();
  REQUIRE(ended);
  CHECK(ended->duration_ms == 20);
  CHECK(ended->stop_reason.condition == "no_turn_completed");
}

TEST_CASE("under virtual time functions and observers may use the runtime") {
  convene::runtime rt{{.seed = 1}};
  std::optional<session_handle> inner;
  const auto outer = rt.start({.participants = {agent("a", "role",
                                                      [&](const turn_request&) {
                                                        inner
                                                          = rt.start(silent(7));
                                                        return reply{};
                                                      })},
                               .task = "work"},
                              [&](std::string_view, std::string_view) {
                                if (inner)
                                  inner->cancel("enough");
                              });
  CHECK(how(outer.await()) == "rounds");
  REQUIRE(inner);
  CHECK(how(inner->await()) == "cancelled");
}

TEST_CASE("waiting for a suspended session says that nothing will happen") {
  convene::runtime rt{{.seed = 1}};
  const auto session = rt.start(silent(1));
  session.suspend("lunch");
  const auto stuck = session.await();
  REQUIRE_FALSE(stuck);
  CHECK(stuck.error().message == "nothing is left that could end the session");
  SECTION("until it is resumed") {
    session.resume();
    CHECK(how(session.await()) == "no_turn_completed");
  }
  SECTION("or cancelled") {
    session.cancel("enough");
    CHECK(how(session.await()) == "cancelled");
  }
  SECTION("and it ends with the runtime") {
    REQUIRE(rt.close());
    CHECK(how(session.await()) == "cancelled");
  }
}

TEST_CASE("a seeded runtime goes away with sessions that nobody awaited") {
  convene::runtime rt{{.seed = 1}};
  std::vector<session_handle> sessions;
  for (std::uint64_t i = 0; i < 10; ++i)
    sessions.push_back(rt.start(silent(i)));
  sessions.front().suspend("lunch");
}

TEST_CASE("a seeded runtime can be used by several threads") {
  const scratch_folder folder;
  convene::runtime rt{{.log = folder / "log.jsonl", .seed = 1}};
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 10; ++i)
        if (rt.start(simulated_in(all_modes[i % 5], 100 * t + i)).await())
          ++ended;
    });
  for (auto& each : threads)
    each.join();
  CHECK(ended == 40);
  REQUIRE(rt.close());
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log.jsonl", sessions).empty());
  CHECK(sessions == 40);
}

TEST_CASE("what a session calls may run other sessions in virtual time") {
  convene::runtime rt{{.seed = 1}};
  const auto answer = [](const turn_request&) { return reply{}; };
  const session_setup inner{.participants = {quick_agent("inner", "r", answer)},
                            .task = "inner"};
  const auto ask_others = [&](const turn_request& asked) {
    CHECK(rt.start(inner).await());
    CHECK(asked.task == "outer");
    return reply{.content = asked.participant};
  };
  const session_setup outer{.participants = {quick_agent("a", "r", ask_others),
                                             quick_agent("b", "r", ask_others)},
                            .task = "outer"};
  std::string events;
  const auto watch = [&](std::string_view, std::string_view lines) {
    events += lines;
    CHECK(rt.start(inner).await());
  };
  const auto ended = rt.start(outer, watch).await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(ended->turns == 2);
  CHECK(events.find("\"inner\"") == std::string::npos);
  CHECK(events.find("MAPSessionCompleted") != std::string::npos);
}

TEST_CASE("virtual time neither overflows nor goes back") {
  const auto far = GENERATE(std::numeric_limits<std::int64_t>::max(),
                            std::int64_t{253'402'300'799'999}); // the year 9999
  convene::runtime rt{{.seed = 1}};
  const auto begin = rt.now();
  const auto session = rt.start(silent(1));
  CHECK(rt.run_until(std::numeric_limits<std::int64_t>::min()) == begin);
  const auto end = rt.run_until(far);
  REQUIRE(end);
  CHECK(*end > begin);
  CHECK(*end < far);
  CHECK(how(session.await()) == "no_turn_completed");
  CHECK(rt.run_until(far) == *end);
  CHECK(rt.run_until(begin) == *end);
  CHECK(rt.run_until(std::numeric_limits<std::int64_t>::min()) == *end);
  // Timers still work there.
  CHECK(how(rt.start(silent(2)).await()) == "no_turn_completed");
  CHECK(rt.now() == *end + 60'000);
  CHECK(rt.run_until(far) == rt.now());
}

TEST_CASE("any thread may ask for virtual time while another runs it") {
  convene::runtime rt{{.seed = 1}};
  const auto begin = rt.now();
  std::atomic<bool> is_over = false;
  bool went_back = false;
  std::thread asking{[&] {
    auto last = begin;
    while (!is_over) {
      const auto now = rt.now();
      went_back |= now < last;
      last = now;
    }
  }};
  for (std::uint64_t i = 0; i < 20; ++i)
    CHECK(rt.start(silent(i)).await());
  is_over = true;
  asking.join();
  CHECK_FALSE(went_back);
  CHECK(rt.now() == begin + 20 * 60'000);
}

TEST_CASE("under virtual time no session waits for a subscriber") {
  const subscription_options waits{.behind = when_behind::wait};
  runtime_options how{.seed = 1};
  SECTION("of the runtime") {
    convene::runtime rt{how};
    CHECK(rt.subscribe(waits).error().rule == "virtual_time");
  }
  SECTION("made when it is opened") {
    CHECK(runtime::open(how, {.subscribe = waits}).error().rule
          == "virtual_time");
  }
  SECTION("that is a sink") {
    how.sinks = {{.how = waits, .take = [](const delivery&) {}}};
    CHECK(runtime::open(how).error().rule == "virtual_time");
  }
}
