#include "log_texts.hpp"
#include "sample.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <latch>
#include <map>
#include <mutex>

// Executors of the application: its own actions, carried out by the same rules
// as all others.

using namespace convene;
using namespace convene::tests;

namespace {

/// An executor that counts its attempts.
struct counted_search {
  std::mutex mutex;
  std::map<std::string, int> attempts; ///< by idempotency key

  /// `answer` ends the attempt with this number.
  executor
  does(std::function<void(std::uint32_t, const action_responder&)> answer) {
    return {.name = "search",
            .execute =
              [this, answer = std::move(answer)](const action& what,
                                                 const action_responder& to) {
                CHECK(what.name == "search");
                CHECK(what.arguments.at("q") == "actors");
                {
                  const std::lock_guard held{mutex};
                  ++attempts[to.which().idempotency_key];
                }
                answer(to.which().number, to);
              },
            .repeatable = true,
            .retry = {.attempts = 3, .first_delay_ms = 1}};
  }
  executor finds() {
    return does([](std::uint32_t, const action_responder& to) {
      to.complete({{"hits", 2}}, {.prompt_tokens = 5});
    });
  }

  int count() {
    const std::lock_guard held{mutex};
    int sum = 0;
    for (const auto& [key, number] : attempts)
      sum += number;
    return sum;
  }
};

/// What came of it: the output as JSON, or the code of the error.
std::string told(const action_result& got) {
  return got.status == action_status::completed
           ? protocol::json::serialize(got.output)
           : std::string{protocol::to_word(got.status)} + ' ' + got.error.code;
}

/// An agent that searches, and answers with what came of it.
participant searcher(const executor& by) {
  return async_agent("a", "role-a",
                     [by](const turn_request& asked, const responder& to) {
                       asked.live->act(by, "1", {{"q", "actors"}},
                                       [to](const action_result& got) {
                                         to.answer({.content = told(got)});
                                       });
                     });
}

std::string said_last(const result<session_result>& ended) {
  REQUIRE(ended);
  return std::string{ended->report->talk.entries().back().content};
}

/// What a session of the searcher says in the end.
std::string search_by(const executor& by, runtime_options how = {}) {
  convene::runtime rt{how};
  const auto ended
    = rt.start({.participants = {searcher(by)}, .task = "search"}).await();
  REQUIRE(ended);
  return said_last(ended);
}

std::size_t count_of(const texts& events, std::string_view part) {
  return static_cast<std::size_t>(
    std::ranges::count_if(events, [part](const std::string& each) {
      return each.find(part) != each.npos;
    }));
}

} // namespace

TEST_CASE("an agent acts by an executor, and it is on the log") {
  const scratch_folder folder;
  counted_search search;
  auto rt = runtime::open({.log = folder / "log.jsonl"}).value();
  const auto ended
    = rt->start({.participants = {searcher(search.finds())}, .task = "search"})
        .await();
  REQUIRE(ended);
  CHECK(said_last(ended) == R"({"hits":2})");
  CHECK(ended->usage.prompt_tokens == 5);
  REQUIRE(rt->close());
  const auto events = events_of(folder / "log.jsonl");
  CHECK(count_of(events, R"("kind":"function","name":"search")") == 1);
  CHECK(count_of(events, R"("output":{"hits":2})") == 1);
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log.jsonl", sessions).empty());
}

TEST_CASE("an executor is not asked again for what the log has") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  texts whole;
  counted_search search;
  {
    auto rt = runtime::open({.log = log, .seed = 5}).value();
    CHECK(
      rt->start({.participants = {searcher(search.finds())}, .task = "search"})
        .await());
    REQUIRE(rt->close());
    whole = events_of(log);
  }
  const auto ended = std::ranges::find_if(whole, [](const std::string& each) {
    return each.find(R"("usage_recorded")") != each.npos; // ends its input
  });
  REQUIRE(ended != whole.end());
  const auto cut = folder / "cut.jsonl";
  write_log(cut, {whole.begin(), ended + 1});
  counted_search again;
  auto rt = runtime::open({.log = cut, .seed = 5},
                          {.functions = {{"a", searcher(again.finds())}}})
              .value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  CHECK(said_last(rt->recovered().sessions[0].await()) == R"({"hits":2})");
  CHECK(search.count() == 1);
  CHECK(again.count() == 0);
}

TEST_CASE("only transient failures are tried again, under one key") {
  counted_search search;
  SECTION("until it works") {
    CHECK(search_by(
            search.does([](std::uint32_t number, const action_responder& to) {
              if (number < 3)
                to.fail("unavailable", "not now", true);
              else
                to.complete("found");
            }))
          == R"("found")");
    CHECK(search.count() == 3);
    CHECK(search.attempts.size() == 1);
  }
  SECTION("no oftener than allowed") {
    CHECK(search_by(search.does([](std::uint32_t, const action_responder& to) {
            to.fail("unavailable", "not now", true);
          }))
          == "failed unavailable");
    CHECK(search.count() == 3);
  }
  SECTION("not what would fail again") {
    CHECK(search_by(search.does([](std::uint32_t, const action_responder& to) {
            to.fail("not_found", "nobody has heard of it");
          }))
          == "failed not_found");
    CHECK(search.count() == 1);
  }
}

TEST_CASE("what an executor throws fails the action") {
  counted_search search;
  CHECK(search_by(search.does([](std::uint32_t, const action_responder&) {
          throw std::runtime_error{"no index"};
        }))
        == "failed attempt_threw");
  CHECK(search.count() == 1);
  CHECK(search_by({.name = "empty"}) == "failed attempt_threw");
}

TEST_CASE("an attempt that takes too long times out and is cancelled") {
  const auto seed = GENERATE(as<std::optional<std::uint64_t>>{}, std::nullopt,
                             3);
  std::mutex mutex;
  std::vector<action_responder> kept;
  std::atomic<int> cancelled{0};
  counted_search search;
  auto by = search.does([&](std::uint32_t, const action_responder& to) {
    to.when_cancelled([&] { ++cancelled; });
    const std::lock_guard held{mutex};
    kept.push_back(to);
  });
  by.timeout_ms = 1;
  SECTION("what is repeatable is tried again") {
    CHECK(search_by(by, {.seed = seed}) == "timed_out timed_out");
    CHECK(search.count() == 3);
    CHECK(cancelled == 3);
  }
  SECTION("what is not repeatable may have been done") {
    by.repeatable = false;
    CHECK(search_by(by, {.seed = seed}) == "timed_out timed_out");
    CHECK(search.count() == 1);
  }
  for (const auto& each : kept) {
    CHECK(each.is_over());
    CHECK_FALSE(each.complete("too late"));
  }
}

TEST_CASE("a turn that closes cancels what its executor does") {
  std::latch begun{1};
  std::latch cancelled{1};
  counted_search search;
  const auto by = search.does([&](std::uint32_t, const action_responder& to) {
    to.when_cancelled([&] { cancelled.count_down(); });
    begun.count_down();
  });
  convene::runtime rt;
  const auto session
    = rt.start({.participants = {searcher(by)}, .task = "search"});
  begun.wait();
  session.cancel("enough");
  cancelled.wait();
  CHECK(session.await());
}

TEST_CASE("the first end of an attempt counts") {
  counted_search search;
  CHECK(search_by(search.does([](std::uint32_t, const action_responder& to) {
          CHECK(to.complete("first"));
          CHECK(to.is_over());
          CHECK_FALSE(to.complete("second"));
          to.when_cancelled([] { FAIL("it has ended"); });
          throw std::runtime_error{"afterwards"};
        }))
        == R"("first")");
}

TEST_CASE("a function that may block waits for what it does") {
  counted_search search;
  const auto by = search.finds();
  convene::runtime rt;
  const auto ended
    = rt.start(
          {.participants = {agent("a", "role-a",
                                  [&](const turn_request& asked) {
                                    return reply{
                                      .content = told(asked.live->act_and_wait(
                                        by, "1", {{"q", "actors"}}))};
                                  })},
           .task = "search"})
        .await();
  REQUIRE(ended);
  CHECK(said_last(ended) == R"({"hits":2})");
}

TEST_CASE("a function does not wait for longer than its turn") {
  std::latch begun{1};
  std::latch done{1};
  std::string came;
  counted_search search;
  const auto by = search.does(
    [&](std::uint32_t, const action_responder&) { begun.count_down(); });
  convene::runtime rt;
  const auto session = rt.start(
    {.participants = {agent(
       "a", "role-a",
       [&](const turn_request& asked) {
         came = told(asked.live->act_and_wait(by, "1", {{"q", "actors"}}));
         done.count_down();
         return reply{};
       })},
     .task = "search"});
  begun.wait();
  session.cancel("enough");
  done.wait();
  CHECK(came == "cancelled turn_over");
  CHECK(session.await());
}
