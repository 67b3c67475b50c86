#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

// What somebody says who was not asked.

namespace {

using protocol::participant_kind;

/// Two agents, a person and a system that is outside.
spec four(protocol::mode mode = protocol::mode::round_robin) {
  auto made = make_spec(mode, {"a", "b", "ana", "ci"});
  made.collab.participants[2].kind = participant_kind::human;
  made.collab.participants[3].kind = participant_kind::external;
  made.options.rounds = 2;
  return made;
}

/// The dialog of a request, as "who: content".
texts shown(const request& what) {
  texts made;
  for (const auto& each : what.dialog.entries())
    made.push_back((each.participant == said::nobody
                      ? std::string{}
                      : std::to_string(each.participant))
                   + ": " + std::string{each.content});
  return made;
}

} // namespace

TEST_CASE("requests after a message show it, in order and with who said it") {
  auto bench = rig::started(four(), solo);
  CHECK(shown(bench.last()) == texts{": the task"});
  const auto logged = bench.feed(message{bench.index("ana"), "be brief"});
  REQUIRE(logged.size() == 1);
  CHECK(logged[0].type == "session_input");
  CHECK(logged[0].at("input") == "message");
  CHECK(logged[0].at("participant_id") == "ana");
  CHECK(logged[0].at("content") == "be brief");
  CHECK(bench.feed(message{.content = "it is late"}).size() == 1);
  bench.answer("a", "done");
  CHECK(shown(bench.last())
        == texts{": the task", "2: be brief", ": it is late", "0: done"});
}

TEST_CASE("a message is no answer: it closes nothing and asks nobody") {
  auto bench = rig::started(four(), solo);
  const auto asked = bench.asked.size();
  bench.feed(message{bench.index("ci"), "APPROVED"});
  CHECK(bench.asked.size() == asked);
  CHECK(bench.machine().awaits(bench.index("a"), bench.last().token));
}

TEST_CASE("a message of nobody who may speak, or too large, changes nothing") {
  auto bench = rig::started(four(), solo);
  const auto refused = [&](message what, std::string_view why) {
    CHECK(bench.machine().may_take(what).error().rule == why);
    const auto before = bench.machine().counts().refused;
    CHECK(bench.feed(std::move(what)).empty());
    CHECK(bench.machine().counts().refused == before + 1);
  };
  refused({bench.index("a"), "I am an agent"}, "message_sender");
  refused({77, "who am I?"}, "participant_unknown");
  refused({.content = ""}, "message_empty");
  refused({.content = std::string(machine::message_bytes_max + 1, 'x')},
          "message_bytes_max");
  CHECK(bench.machine().talk().entries().size() == 1);
  bench.feed(cancel{"enough"});
  refused({.content = "too late"}, "session_ended");
}

// Restored once: after each of so many inputs it takes ten minutes.
TEST_CASE("a dialog that is full takes no message, and the session goes on",
          "[flood]") {
  auto bench = rig::started(four(), solo);
  const message one{.content = "x"};
  for (std::size_t i = 1; i < machine::dialog_messages_max; ++i)
    bench.feed(one);
  bench.restore();
  CHECK(bench.machine().may_take(one).error().rule == "dialog_full");
  CHECK(bench.feed(one).empty());
  bench.answer("a", "done");
  CHECK(bench.machine().talk().entries().size()
        == machine::dialog_messages_max + 1);
}

TEST_CASE("what is no UTF-8 in a message is replaced") {
  auto bench = rig::started(four(), solo);
  bench.feed(message{.content = "a\xff!"});
  CHECK(bench.machine().talk().entries().back().content == "a\xef\xbf\xbd!");
}
