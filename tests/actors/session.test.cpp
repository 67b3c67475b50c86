#include "world.hpp"

#include <caf/actor_registry.hpp>
#include <caf/event_based_actor.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/answering_actor.hpp>
#include <convene/actors/lean_actor.hpp>
#include <convene/actors/participant.hpp>

using namespace convene;
using namespace convene::actors;
using convene::tests::all_at_once;
using convene::tests::does;
using convene::tests::ending;
using convene::tests::how;
using convene::tests::says;
using convene::tests::says_nothing;
using convene::tests::world;

namespace {

using strings = std::vector<std::string>;
using verb = control::verb;

const strings a_turn{"MAPTurnDispatched", "MAPTurnCompleted"};

strings operator+(strings a, const strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const strings beginning{"MAPSessionStarted", "MAPRolesAssigned",
                        "graph_opened"};
const strings the_end{"session_recorded", "MAPSessionCompleted"};

/// The first participant gets three turns.
session::ruling ask_thrice(const session::view& now, session::memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  if (now.turns == 3)
    return {{session::complete{.condition = "three_turns"}}, std::move(kept)};
  return {{session::dispatch{.participant = 0}}, std::move(kept)};
}

const session::routing_policy three_turns{.name = "three_turns",
                                          .decide = ask_thrice};

} // namespace

TEST_CASE("a session runs to its end and leaves nothing behind") {
  world all;
  const auto before = all.system.registry().running();
  ending end;
  all.begin({says("one"), says("two"), says("three")}, end);
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.event_types() == beginning + a_turn + a_turn + a_turn + the_end);
  CHECK(all.told("MAPTurnCompleted", "participant_id")
        == strings{"p0", "p1", "p2"});
  REQUIRE((end && *end));
  CHECK((*end)->counts.turns == 3);
  CHECK((*end)->talk.entries().size() == 4);
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("a request is on the log before its participant sees it") {
  world all;
  int seen = 0;
  auto looks = does([&](const turn_request& asked) {
    const auto last = all.events().back();
    CHECK(last.at("event_type").as_string() == "MAPTurnDispatched");
    CHECK(last.at("payload").at("token_id").as_string() == asked.token);
    ++seen;
    return answer{};
  });
  ending end;
  all.begin({looks, looks}, end);
  all.run();
  CHECK(seen == 2);
  CHECK(how(end) == "all_had_a_turn");
}

TEST_CASE("a turn that is not answered is closed when its time is over") {
  world all;
  ending end;
  all.begin({says_nothing(), says("two")}, end, {.turn_timeout_ms = 50});
  all.pass(49);
  CHECK(all.event_types() == beginning + strings{"MAPTurnDispatched"});
  all.pass(1);
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"timed_out", "completed"});
}

TEST_CASE("an answer that comes late is refused, and the log says so") {
  world all;
  ending end;
  all.begin({says("late", 60), says("in time", 30)}, end,
            {.turn_timeout_ms = 50});
  all.pass(80);
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.event_types()
        == beginning + a_turn
             + strings{"MAPTurnDispatched", "MAPConflictDetected",
                       "MAPConflictResolved", "MAPTurnCompleted"}
             + the_end);
  CHECK(all.told("MAPConflictDetected", "conflict_type")
        == strings{"stale_token"});
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"timed_out", "completed"});
  REQUIRE((end && *end));
  CHECK((*end)->counts.conflicts == 1);
  CHECK((*end)->talk.entries().size() == 2);
}

TEST_CASE("an answer comes as late as its behaviour says") {
  world all;
  ending end;
  all.begin({says("slow", 40)}, end);
  all.pass(39);
  CHECK(how(end) == "goes on");
  all.pass(1);
  CHECK(how(end) == "all_had_a_turn");
  REQUIRE((end && *end));
  CHECK((*end)->ended_at - (*end)->started_at == 40);
}

TEST_CASE("whoever dies with a turn loses it, and the session goes on") {
  world all;
  const auto before = all.system.registry().running();
  ending end;
  SECTION("by an exit message") {
    all.begin({says_nothing(), says("two")}, end);
    all.scheduler.run_once(); // the session: start
    const auto first = all.next_actor();
    all.run();
    CHECK(how(end) == "goes on");
    caf::anon_send_exit(first, caf::exit_reason::kill);
  }
  SECTION("by an exception") {
    all.begin({does([](const turn_request&) -> answer {
                 throw std::runtime_error("a fault");
               }),
               says("two")},
              end);
  }
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"failed", "completed"});
  for (const auto& event : all.events())
    if (event.at("event_type") == "MAPTurnCompleted") {
      CHECK(event.at("payload").at("error").at("code") == "participant_lost");
      break; // the next one has none
    }
  CHECK(all.told("session_input", "input") == strings{"participant_down"});
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("whoever dies is started again, as often as the scenario says") {
  world all;
  ending end;
  int asked = 0;
  all.begin({does([&](const turn_request&) -> answer {
              if (++asked <= 2)
                throw std::runtime_error("a fault");
              return {.reply = {.content = "third life"}};
            })},
            end, {.restart = {.limit = 2, .backoff_ms = 10}}, three_turns);
  all.run();
  CHECK(asked == 1);
  all.pass(9);
  CHECK(asked == 1);
  all.pass(1);
  CHECK(asked == 2);
  all.pass(19);
  CHECK(asked == 2);
  all.pass(1);
  CHECK(asked == 3);
  CHECK(how(end) == "three_turns");
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"failed", "failed", "completed"});
  CHECK(all.told("session_input", "input").empty());
}

TEST_CASE("whoever dies once too often is lost") {
  world all;
  ending end;
  all.begin({does([&](const turn_request&) -> answer {
              throw std::runtime_error("a fault");
            })},
            end, {.restart = {.limit = 1, .backoff_ms = 10}}, three_turns);
  all.run();
  CHECK(how(end) == "goes on");
  all.pass(10);
  CHECK(how(end) == "participants_lost");
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"failed", "failed"});
}

TEST_CASE("a request whose time passes while its participant is away is not "
          "handed in later") {
  world all;
  ending end;
  int asked = 0;
  all.begin({does([&](const turn_request&) -> answer {
              if (++asked == 1)
                throw std::runtime_error("a fault");
              return {};
            })},
            end,
            {.turn_timeout_ms = 10, .restart = {.limit = 1, .backoff_ms = 25}},
            three_turns);
  all.run();
  all.pass(24);
  CHECK(asked == 1);
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"failed", "timed_out", "timed_out"});
  CHECK(how(end) == "three_turns");
  all.pass(10);
  CHECK(asked == 1);
}

TEST_CASE("whoever dies without a turn changes nobody else's") {
  world all;
  ending end;
  all.begin({says("one"), says("two", 5), says("three")}, end);
  all.scheduler.run_once(); // the session: start
  const auto first = all.next_actor();
  all.run();
  caf::anon_send_exit(first, caf::exit_reason::kill);
  all.pass(5);
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.event_types()
        == beginning + a_turn + strings{"MAPTurnDispatched", "session_input"}
             + strings{"MAPTurnCompleted"} + a_turn + the_end);
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"completed", "completed", "completed"});
}

TEST_CASE("when all are lost the session is cancelled") {
  world all;
  ending end;
  auto dies = does(
    [](const turn_request&) -> answer { throw std::runtime_error("a fault"); });
  all.begin({dies, dies}, end);
  all.run();
  CHECK(how(end) == "participants_lost");
  REQUIRE((end && *end));
  CHECK((*end)->outcome.status == protocol::collab_status::cancelled);
}

TEST_CASE("nobody else can answer for a participant") {
  world all;
  ending end;
  protocol::uuid token;
  auto keeps_token = does([&](const turn_request& asked) {
    token = *protocol::parse_uuid(asked.token);
    return answer{.silent = true};
  });
  const auto uut = all.begin({keeps_token}, end);
  all.run();
  const auto before = all.sink.text;
  REQUIRE_FALSE(token.is_nil());
  SECTION("not an actor that nobody knows") {
    all.system.spawn([&](caf::event_based_actor* self) {
      self->send(uut, reply_msg{{0, token, {.content = "stolen"}}});
    });
  }
  SECTION("nor nobody at all") {
    caf::anon_send(uut, reply_msg{{0, token, {.content = "stolen"}}});
  }
  SECTION("nor a participant of another session") {
    const auto common = std::make_shared<const participants_setup>(
      participants_setup{.about = std::make_shared<const session::session_info>(
                           session::session_info{.session_id = "another"})});
    const auto other = spawn_participant(
      all.system,
      {.session = uut, .common = common, .self = 0, .answers = says("stolen")});
    caf::anon_send(other, session::request{.token = token}, std::int64_t{0});
    all.run();
    caf::anon_send_exit(other, caf::exit_reason::kill);
  }
  all.run();
  CHECK(all.sink.text == before);
  CHECK(how(end) == "goes on");
  all.tell(uut, verb::cancel);
  all.run();
  REQUIRE((end && *end));
  CHECK((*end)->counts.refused == 1);
}

TEST_CASE("a participant's actor is 56 bytes more than any that takes the "
          "same messages") {
  CHECK(sizeof(answering_actor)
        <= sizeof(lean_actor<participant_actor::base>) + 56);
}

TEST_CASE("a second answer to a request is refused") {
  world all;
  ending end;
  caf::actor first;
  protocol::uuid token;
  auto remembers = does([&](const turn_request& asked) {
    token = *protocol::parse_uuid(asked.token);
    return answer{.reply = {.content = "once"}};
  });
  const auto uut = all.begin({remembers, says("two", 5)}, end);
  all.scheduler.run_once(); // the session: start
  first = all.next_actor();
  all.run();
  // A participant passes on what it says to itself.
  for (int i = 0; i < 2; ++i)
    caf::anon_send(caf::actor_cast<participant_actor>(first),
                   from_turn_msg{reply_msg{{0, token, {.content = "again"}}}});
  all.pass(5);
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.told("MAPConflictDetected", "conflict_type")
        == strings{"stale_token", "stale_token"});
  CHECK(all.told("MAPTurnCompleted", "output_summary")
        == strings{"once", "two"});
}

TEST_CASE("an answer with a made-up token is refused") {
  world all;
  ending end;
  const auto uut = all.begin({says("one", 5)}, end);
  all.scheduler.run_once();
  const auto first = all.next_actor();
  all.run();
  caf::anon_send(caf::actor_cast<participant_actor>(first),
                 from_turn_msg{reply_msg{{0, {7, 7}, {.content = "made up"}}}});
  all.pass(5);
  CHECK(all.told("MAPConflictDetected", "conflict_type")
        == strings{"exclusive_write_violation"});
  CHECK(all.told("MAPTurnCompleted", "output_summary") == strings{"one"});
}

TEST_CASE("a sink that fails stops the session with its error") {
  world all;
  const auto before = all.system.registry().running();
  ending end;
  const protocol::error full{.code = protocol::errc::io_failed,
                             .message = "the disk is full"};
  SECTION("at its first event") {
    all.sink.failure = full;
    all.begin({says("one")}, end);
    all.run();
    CHECK(all.sink.text.empty());
  }
  SECTION("in the middle") {
    all.begin({says("one"), says("two", 5), says("three")}, end);
    all.run();
    all.sink.failure = full;
    all.pass(5);
    CHECK(all.event_types()
          == beginning + a_turn + strings{"MAPTurnDispatched"});
  }
  REQUIRE(end);
  REQUIRE_FALSE(*end);
  CHECK(end->error() == full);
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("a session stands still from suspend to resume") {
  world all;
  ending end;
  const auto uut = all.begin({says("one", 5)}, end, {.max_duration_ms = 100});
  all.run();
  all.tell(uut, verb::suspend, "lunch");
  all.pass(1000);
  CHECK(how(end) == "goes on");
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"cancelled"});
  all.tell(uut, verb::resume);
  all.pass(5);
  CHECK(all.told("session_input", "input") == strings{"suspend", "resume"});
  CHECK(how(end) != "max_duration");
}

TEST_CASE("a cancelled session closes its turns and ends") {
  world all;
  const auto before = all.system.registry().running();
  ending end;
  const auto uut = all.begin({says_nothing(), says("two")}, end);
  all.run();
  all.tell(uut, verb::cancel, "enough");
  all.tell(uut, verb::cancel, "twice");
  all.run();
  CHECK(how(end) == "cancelled");
  REQUIRE((end && *end));
  CHECK((*end)->outcome.observed == "enough");
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"cancelled"});
  CHECK(all.event_types().back() == "MAPSessionCompleted");
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("a session that is not started says nothing") {
  world all;
  ending end;
  const auto uut = all.begin({says("one")}, end);
  SECTION("whatever comes after its end") {
    all.run();
    const auto text = all.sink.text;
    for (auto what : {verb::start, verb::suspend, verb::resume, verb::cancel})
      all.tell(uut, what);
    caf::anon_send(uut, time_passed{});
    all.run();
    CHECK(all.sink.text == text);
  }
  SECTION("twice") {
    all.tell(uut, verb::start);
    all.run();
    CHECK(all.event_types() == beginning + a_turn + the_end);
  }
}

TEST_CASE("a session whose actor is stopped takes its participants along") {
  world all;
  const auto before = all.system.registry().running();
  ending end;
  const auto uut = all.begin({says_nothing(), says("two")}, end);
  caf::actor held; // as a behaviour that hangs would
  SECTION("in the middle") {
    all.scheduler.run_once();
    held = all.next_actor();
    all.run();
    CHECK(all.system.registry().running() == before + 3);
  }
  SECTION("before it has begun") {
    // nop
  }
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  all.run();
  REQUIRE(end);
  REQUIRE_FALSE(*end);
  CHECK(end->error().code == protocol::errc::internal);
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("a broadcast reaches all others at once") {
  world all;
  ending end;
  all.begin({says("nobody asks"), says("one", 10), says("two", 5),
             says_nothing()},
            end, {.turn_timeout_ms = 20}, all_at_once);
  all.pass(20);
  CHECK(how(end) == "all_were_asked");
  CHECK(all.told("MAPBroadcastReceived", "receiver_participant")
        == strings{"p2", "p1", "p3"});
  CHECK(all.told("MAPBroadcastReceived", "status")
        == strings{"completed", "completed", "timed_out"});
}

TEST_CASE("many sessions share a clock and end when each is due") {
  world all;
  const auto before = all.system.registry().running();
  std::vector<ending> ends(50);
  for (std::size_t i = 0; i < ends.size(); ++i)
    all.begin({says_nothing(), says("two", 1)}, ends[i],
              {.turn_timeout_ms = static_cast<std::int64_t>(100 - i)},
              tests::each_once, i);
  all.pass(102);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    INFO(i);
    REQUIRE((ends[i] && *ends[i]));
    CHECK((*ends[i])->ended_at - (*ends[i])->started_at
          == static_cast<std::int64_t>(101 - i));
  }
  CHECK(all.system.registry().running() == before);
}

TEST_CASE("whoever has answered keeps nothing of the workspace") {
  world all;
  std::weak_ptr<const session::resource> seen;
  auto writes = does([](const turn_request&) {
    return answer{.reply = {.writes = {{.resource_type = "file",
                                        .resource_id = "a",
                                        .value = "text"}}}};
  });
  auto looks = does([&](const turn_request& asked) {
    for (const auto& each : asked.workspace.resources())
      seen = each;
    CHECK(seen.use_count() > 0);
    return answer{};
  });
  ending end;
  all.begin({writes, looks}, end);
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  end.reset();
  CHECK(seen.expired());
}
