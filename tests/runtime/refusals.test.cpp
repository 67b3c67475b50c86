#include "sample.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <future>

using namespace convene;
using namespace convene::tests;
using protocol::errc;

namespace {

std::string refusal_of(const session_setup& setup) {
  convene::runtime rt;
  const auto ended = rt.start(setup).await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == errc::activation_refused);
  return ended.error().rule;
}

/// A session that waits until it is cancelled: its only participant waits for
/// an answer that nobody gives.
session::spec waiting(std::uint64_t number) {
  protocol::uuid_source ids{number};
  auto made = make_spec(two_in(mode::round_robin), ids, 0);
  made.behaviours = {{"*", {{"type", "simulated"}, {"silence", 1.0}}}};
  made.options.turn_timeout_ms = 3'000'000;
  return made;
}

} // namespace

TEST_CASE("a session whose role_id is none of its Roles does not start") {
  convene::runtime rt;
  auto made = waiting(7);
  made.roles = {{.role_id = made.collab.collab_id, .name = "reviewer"}};
  made.collab.participants.front().role_id = "reviewr";
  const auto refused = rt.start(made);
  const auto ended = refused.await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().rule == "known_role");
  CHECK(ended.error().pointer == "/collab/participants/0/role_id");
}

TEST_CASE("a session that may not start says which rule forbids it") {
  auto setup = two_in(mode::round_robin);
  CHECK(refusal_of({.task = "nobody"}) == "map_min_participants");
  CHECK(refusal_of({.participants = {agent("a", "", says(""))}, .task = "work"})
        == "map_participants_have_role_ids");
  setup.participants.push_back(setup.participants.front());
  CHECK(refusal_of(setup) == "map_unique_participant_ids");
  setup.mode = mode::pair;
  setup.participants.back().participant_id = "c";
  CHECK(refusal_of(setup) == "pair_participants");
  setup.mode = mode::orchestrated;
  CHECK(refusal_of(setup) == "map_orchestrator_required");
  setup.options.orchestrator = "nobody";
  CHECK(refusal_of(setup) == "known_participant");
  setup = two_in(mode::swarm);
  setup.participants.pop_back();
  CHECK(refusal_of(setup) == "map_session_requires_multiple_participants");
  setup = two_in(mode::pair);
  setup.options.policy = "sit_in";
  CHECK(refusal_of(setup) == "known_policy");
  setup = two_in(mode::pair);
  setup.participants.front().kind = participant_kind::human;
  setup.participants.front().respond = nullptr;
  CHECK(refusal_of(setup) == "participant_unbound");
}

TEST_CASE("a function needs a participant") {
  convene::runtime rt;
  const auto ended
    = rt.start(waiting(1), {.functions = {{"c", agent("c", "role", says(""))}}})
        .await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == errc::activation_refused);
  CHECK(ended.error().rule == "known_participant");
  CHECK(ended.error().value == "c");
}

TEST_CASE("what no scenario may say is refused in a setup, too") {
  const auto rule_of = [](void (*spoil)(session_setup&)) {
    auto setup = two_in(mode::broadcast);
    spoil(setup);
    convene::runtime rt;
    const auto ended = rt.start(setup).await();
    return ended ? "runs" : ended.error().pointer + ' ' + ended.error().rule;
  };
  using setup = session_setup;
  CHECK(rule_of([](setup& s) { s.options.turn_timeout_ms = 0; })
        == "/session/turn_timeout_ms minimum");
  CHECK(rule_of([](setup& s) { s.options.max_duration_ms = INT64_MAX; })
        == "/session/max_duration_ms maximum");
  CHECK(rule_of([](setup& s) { s.options.quorum = 1.5; })
        == "/session/quorum maximum");
  CHECK(rule_of([](setup& s) { s.options.quorum = std::nan(""); }) != "runs");
  CHECK(rule_of([](setup& s) { s.title = "\xff"; }) != "runs");
  CHECK(rule_of([](setup& s) { s.participants[0].participant_id = ""; })
        == "/collab/participants/0/participant_id minLength");
}

TEST_CASE("a session that may not start leaves no trace") {
  const scratch_folder folder;
  convene::runtime rt{{.log = folder / "log.jsonl", .sessions_max = 1}};
  for (int i = 0; i < 3; ++i)
    CHECK_FALSE(rt.start(session_setup{.task = "nobody"}).await());
  CHECK(rt.start(two_in(mode::pair)).await());
  REQUIRE(rt.close());
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log.jsonl", sessions).empty());
  CHECK(sessions == 1);
}

TEST_CASE("the same session does not run twice at once") {
  convene::runtime rt;
  const auto first = rt.start(waiting(1));
  const auto second = rt.start(waiting(1));
  const auto refused = second.await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::not_allowed);
  CHECK(refused.error().rule == "session_id");
  CHECK_FALSE(first.await_for(std::chrono::milliseconds{0}));
  first.cancel("enough");
  CHECK(how(first.await()) == "cancelled");
  const auto third = rt.start(waiting(1));
  third.cancel("enough");
  CHECK(how(third.await()) == "cancelled");
}

TEST_CASE("no more sessions run at once than allowed") {
  convene::runtime rt{{.sessions_max = 2}};
  const auto first = rt.start(waiting(1));
  const auto second = rt.start(waiting(2));
  for (int i = 0; i < 3; ++i) {
    const auto refused = rt.start(waiting(3)).await();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::limit_reached);
    CHECK(refused.error().rule == "sessions_max");
  }
  second.cancel("enough");
  CHECK(how(second.await()) == "cancelled");
  const auto third = rt.start(waiting(3));
  CHECK_FALSE(third.await_for(std::chrono::milliseconds{0}));
}

TEST_CASE("a refused session does not free the place of its namesake") {
  convene::runtime rt{{.sessions_max = 1}};
  const auto first = rt.start(waiting(1));
  for (int i = 0; i < 2; ++i) {
    const auto refused = rt.start(waiting(1)).await();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "sessions_max");
  }
  auto unknown = waiting(1);
  unknown.options.policy = "sit_in";
  CHECK_FALSE(rt.start(unknown).await());
  CHECK_FALSE(rt.start(waiting(2)).await());
  REQUIRE(rt.close());
  CHECK(how(first.await()) == "cancelled");
}

TEST_CASE("nothing starts once the runtime is closed") {
  convene::runtime rt;
  const auto running = rt.start(waiting(1));
  REQUIRE(rt.close());
  CHECK(how(running.await()) == "cancelled");
  const auto refused = rt.start(two_in(mode::pair)).await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::not_allowed);
  CHECK(rt.close());
}

TEST_CASE("sessions that start while the runtime closes end too") {
  for (int round = 0; round < 20; ++round) {
    convene::runtime rt;
    std::promise<void> begun;
    auto starting = std::async(std::launch::async, [&] {
      std::vector<session_handle> made;
      for (std::uint64_t i = 0; i < 50; ++i) {
        made.push_back(rt.start(waiting(i)));
        if (i == 5)
          begun.set_value();
      }
      return made;
    });
    begun.get_future().wait();
    REQUIRE(rt.close());
    for (const auto& session : starting.get()) {
      const auto ended = session.await();
      if (ended)
        CHECK(ended->stop_reason.condition == "cancelled");
      else
        CHECK(ended.error().message == "the runtime is closing");
    }
  }
}

TEST_CASE("a file that is no log is not touched") {
  const scratch_folder folder;
  const auto path = folder / "log.jsonl";
  std::ofstream{path} << "mine\n";
  const auto opened = convene::runtime::open({.log = path});
  REQUIRE_FALSE(opened);
  CHECK(opened.error().rule == "not_a_log");
  CHECK_THROWS_AS(convene::runtime{{.log = path}}, std::runtime_error);
  CHECK(read_bytes(path) == "mine\n");
}

TEST_CASE("a log in a folder that does not exist cannot be opened") {
  const scratch_folder folder;
  CHECK_FALSE(convene::runtime::open({.log = folder / "no" / "log.jsonl"}));
}
