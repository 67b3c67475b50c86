#include <catch2/catch.hpp>
#include <convene/session/machine/report.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::message_role;

TEST_CASE("in the dialog people speak as users, everybody else as agents") {
  auto what = make_spec(protocol::mode::swarm, {"marta", "bot"});
  what.collab.participants[0].kind = protocol::participant_kind::human;
  what.options.rounds = 2;
  auto bench = rig::started(what, everybody);
  bench.answer("marta", "pay it back");
  bench.answer("bot", "done");
  const auto talk = make_dialog(make_report(bench.take_machine()));
  REQUIRE(talk.messages.size() == 3);
  CHECK(talk.messages[0].role == message_role::user);
  CHECK(talk.messages[0].content == "the task");
  CHECK(talk.messages[1].role == message_role::user);
  CHECK(talk.messages[1].event->data->at("participant_id") == "marta");
  CHECK(talk.messages[2].role == message_role::agent);
}

TEST_CASE("a collab is never updated before it was made") {
  for (const auto& [created, updated] :
       {std::pair{"2025-01-01T00:00:00Z", false},
        {"9998-01-01T00:00:00Z", true}}) {
    auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
    what.collab.created_at = created;
    what.options.rounds = 1;
    auto bench = rig::started(what, solo);
    bench.answer("a");
    const auto left = make_report(bench.take_machine());
    CHECK((left.collab.updated_at == "9998-01-01T00:00:00.000Z") == updated);
    CHECK(protocol::parse_timestamp(*left.collab.updated_at)
          >= protocol::parse_timestamp(left.collab.created_at));
  }
}
