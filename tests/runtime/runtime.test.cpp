#include "hand_clock.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

using namespace convene;
using namespace convene::tests;
using protocol::errc;

namespace {

/// Lets go of whoever waits for it, at the latest when it dies.
class gate {
public:
  ~gate() {
    open();
  }
  void open() {
    if (!std::exchange(is_open_, true))
      promise_.set_value();
  }
  void wait() const {
    future_.wait();
  }

private:
  std::promise<void> promise_;
  std::shared_future<void> future_ = promise_.get_future().share();
  bool is_open_ = false;
};

/// A session that never comes to an end by itself: it has a hundred million
/// turns.
session_setup endless() {
  session_setup made{.task = "work",
                     .options = {.max_turns = 1'000'000'000,
                                 .rounds = 1'000'000}};
  for (int i = 0; i < 100; ++i)
    made.participants.push_back(
      agent("a" + std::to_string(i), "role",
            [](const turn_request&) { return reply{.content = "again"}; }));
  return made;
}

} // namespace

TEST_CASE("the example of the guide works") {
  convene::runtime rt;
  auto session = rt.start(
    {.title = "Fix the login bug",
     .purpose = "Two agents, one driver at a time",
     .mode = convene::mode::pair,
     .participants = {convene::agent("coder", "role-coder",
                                     [](const convene::turn_request& turn) {
                                       return convene::reply{
                                         .content = "patch for: " + turn.task};
                                     }),
                      convene::agent("reviewer", "role-reviewer",
                                     [](const convene::turn_request&) {
                                       return convene::reply{
                                         .content = "approved", .end = true};
                                     })},
     .task = "500 on /login"});
  auto result = session.await();
  REQUIRE(result);
  CHECK(result->status == collab_status::completed);
  CHECK(result->stop_reason.condition == "navigator_end");
  CHECK(result->turns == 2);
  CHECK(result->collab.collab_id == session.id());
  CHECK(result->collab.title == "Fix the login bug");
  REQUIRE(result->dialog().messages.size() == 3);
  CHECK(result->dialog().messages[1].content == "patch for: 500 on /login");
}

TEST_CASE("an application says when a session is over") {
  convene::runtime rt;
  auto setup = two_in(mode::round_robin);
  setup.options.rounds = 1000;
  setup.options.end = when::any({when::turns(3), when::idle_ms(60'000)});
  CHECK(how(rt.start(setup).await()) == "turns");
  setup.options.end = when::turns(0);
  const auto refused = rt.start(setup).await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/session/end/turns");
}

TEST_CASE("a session that is asked to stop completes") {
  convene::runtime rt;
  auto session = rt.start(endless());
  session.stop("enough");
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(how(ended) == "stopped");
}

TEST_CASE("every mode runs to its end") {
  convene::runtime rt;
  const auto mode = GENERATE(from_range(all_modes));
  INFO(protocol::to_word(mode));
  const auto ended = rt.start(two_in(mode)).await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(ended->turns + ended->broadcasts >= 1);
  CHECK(ended->dialog().messages.size() >= 2);
}

TEST_CASE("an observer sees the lines of its session as the log has them") {
  const scratch_folder folder;
  convene::runtime rt{{.log = folder / "log.jsonl"}};
  std::map<std::string, std::string> seen;
  for (auto mode : all_modes) {
    std::string lines;
    std::string who;
    const auto session
      = rt.start(two_in(mode), [&](std::string_view id, std::string_view more) {
          who = id;
          lines += more;
        });
    REQUIRE(session.await());
    CHECK(who == session.id());
    seen[session.id()] = lines;
  }
  REQUIRE(rt.close());
  std::map<std::string, std::string> logged;
  const auto contents = host::read_log(folder / "log.jsonl");
  REQUIRE(contents);
  for (const auto& line : contents->lines)
    for (const auto& [id, unused] : seen)
      if (line.text.find("\"session_id\":\"" + id) != std::string::npos)
        logged[id] += line.text + '\n';
  CHECK(logged == seen);
}

TEST_CASE("what an observer holds is let go at the session's end") {
  convene::runtime rt;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  const auto session
    = rt.start(two_in(mode::pair),
               [kept = std::move(held)](std::string_view, std::string_view) {
                 CHECK(*kept == 1);
               });
  REQUIRE(session.await());
  CHECK(seen.expired());
}

TEST_CASE("an observer that throws stops its session alone") {
  convene::runtime rt;
  const auto session = rt.start(two_in(mode::pair),
                                [](std::string_view, std::string_view) {
                                  throw std::runtime_error("cannot look");
                                });
  const auto ended = session.await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "the observer threw: cannot look");
  CHECK(rt.start(two_in(mode::pair)).await());
}

TEST_CASE("waiting can be given up") {
  gate held;
  convene::runtime rt;
  const auto session
    = rt.start({.participants = {agent("a", "role",
                                       [&](const turn_request&) {
                                         held.wait();
                                         return reply{};
                                       })},
                .task = "wait"});
  CHECK_FALSE(session.await_for(std::chrono::milliseconds{1}));
  held.open();
  REQUIRE(session.await());
  REQUIRE(session.await_for(std::chrono::milliseconds{0}));
}

TEST_CASE("a session can be cancelled by another thread") {
  convene::runtime rt;
  const auto session = rt.start(endless());
  std::thread other{[session] { session.cancel("enough"); }};
  const auto ended = session.await();
  other.join();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::cancelled);
  CHECK(ended->stop_reason.condition == "cancelled");
  CHECK(ended->stop_reason.observed == "enough");
  session.cancel("after the end");
  session.suspend("after the end");
  session.resume();
  CHECK(session.await()->stop_reason.observed == "enough");
}

TEST_CASE("a session can be suspended and resumed by another thread") {
  convene::runtime rt;
  std::atomic<int> suspended{0};
  std::atomic<int> resumed{0};
  const auto session
    = rt.start(endless(), [&](std::string_view, std::string_view lines) {
        suspended += lines.find(R"("input":"suspend")") != lines.npos ? 1 : 0;
        resumed += lines.find(R"("input":"resume")") != lines.npos ? 1 : 0;
      });
  std::thread other{[&] {
    session.suspend("lunch");
    while (suspended == 0)
      std::this_thread::yield();
    session.resume();
    while (resumed == 0)
      std::this_thread::yield();
    session.cancel("enough");
  }};
  const auto ended = session.await();
  other.join();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "cancelled");
  CHECK(suspended == 1);
  CHECK(resumed == 1);
}

TEST_CASE("a function that throws fails its turn") {
  convene::runtime rt;
  const auto make = GENERATE(&agent, &quick_agent);
  std::string lines;
  const auto session = rt.start(
    {.participants
     = {make("a", "role",
             [](const turn_request&) -> reply {
               throw std::runtime_error("no idea");
             }),
        make("b", "role", [](const turn_request&) -> reply { throw 42; }),
        make("c", "role", says("fine"))},
     .task = "work"},
    [&](std::string_view, std::string_view more) { lines += more; });
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "rounds");
  CHECK(ended->turns == 3);
  CHECK(lines.find(R"("error":{"code":"behaviour_threw","message":"no idea"})")
        != lines.npos);
}

TEST_CASE("a function that hangs loses its turn, and its answer is refused") {
  gate first_returns;
  gate refusal;
  std::latch asked{1};
  hand_clock clock;
  const auto rt = clock.open_runtime();
  const auto session
    = rt->start({.participants = {agent("a", "role",
                                        [&](const turn_request&) {
                                          asked.count_down();
                                          first_returns.wait();
                                          return reply{.content = "late"};
                                        }),
                                  agent("b", "role",
                                        [&](const turn_request&) {
                                          first_returns.open();
                                          refusal.wait();
                                          return reply{.content = "in time"};
                                        })},
                 .task = "work",
                 .options = {.turn_timeout_ms = 20}},
                [&](std::string_view, std::string_view lines) {
                  if (lines.find("stale_token") != lines.npos)
                    refusal.open();
                });
  asked.wait(); // a turn whose time is over before that reaches nobody
  clock.pass(20);
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->turns == 2);
  CHECK(ended->conflicts == 1);
  REQUIRE(ended->dialog().messages.size() == 2);
  CHECK(ended->dialog().messages[1].content == "in time");
}

TEST_CASE("a function that hangs keeps nobody from closing") {
  // What hangs must own what it uses: it may outlive the runtime.
  const auto held = std::make_shared<gate>();
  const auto asked = std::make_shared<std::latch>(1);
  const auto left = std::make_shared<std::latch>(1);
  std::optional<session_handle> session;
  {
    convene::runtime rt;
    session = rt.start({.participants = {agent("a", "role",
                                               [=](const turn_request&) {
                                                 asked->count_down();
                                                 held->wait();
                                                 return reply{};
                                               })},
                        .task = "work"});
    asked->wait();
    SECTION("by close") {
      CHECK(rt.close());
    }
    SECTION("by the destructor") {
      // nop
    }
  }
  const auto ended = session->await();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "cancelled");
  CHECK(ended->stop_reason.observed == "the runtime was closed");
  held->open();
}

TEST_CASE("a full pool fails turns and nothing else") {
  gate held;
  std::latch asked{1};
  convene::runtime rt{{.blocking_threads = 1, .blocking_queue = 0}};
  const auto first
    = rt.start({.participants = {agent("a", "role",
                                       [&](const turn_request&) {
                                         asked.count_down();
                                         held.wait();
                                         return reply{.content = "done"};
                                       })},
                .task = "work"});
  asked.wait();
  std::string lines;
  const auto second = rt.start(
    {.participants = {agent("a", "role", says("never"))}, .task = "work"},
    [&](std::string_view, std::string_view more) { lines += more; });
  REQUIRE(second.await());
  CHECK(lines.find("blocking_pool_full") != lines.npos);
  held.open();
  REQUIRE(first.await());
  CHECK(first.await()->dialog().messages.back().content == "done");
}

TEST_CASE("the destructor ends what still runs") {
  std::vector<session_handle> sessions;
  {
    convene::runtime rt;
    for (int i = 0; i < 20; ++i)
      sessions.push_back(rt.start(endless()));
  }
  for (const auto& session : sessions)
    CHECK(how(session.await()) == "cancelled");
}
