// What happens when a session's own actor fails.

#include "world.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace convene;
using namespace convene::actors;
using namespace convene::tests;

namespace {

using strings = std::vector<std::string>;

/// Cannot bear a word.
struct squeamish final : answer_check {
  void check(protocol::reply& what) const override {
    if (what.content == "poison")
      throw std::runtime_error("indigestible");
  }
};

} // namespace

TEST_CASE("whoever starts failed sessions again is told of the answer that "
          "did it, and the same answer can be kept out") {
  const squeamish looks;
  std::optional<protocol::error> told;
  std::string token;
  {
    world all;
    ending end;
    all.change = [&](session_setup& setup) {
      setup.answers = &looks;
      setup.restart = [&](const protocol::error& why) {
        told = why;
        return true;
      };
    };
    all.begin({says("one"), says("poison"), says("three")}, end);
    all.run();
    CHECK(how(end) == "goes on"); // elsewhere
    REQUIRE(told);
    CHECK(told->rule == session_crashed);
    CHECK(told->message.find("indigestible") != std::string::npos);
    const auto tokens = all.told("MAPTurnDispatched", "token_id");
    REQUIRE(tokens.size() == 2);
    CHECK(told->value == tokens[1]);
    CHECK(all.told("MAPTurnCompleted", "output_summary") == strings{"one"});
  }
  world all;
  ending end;
  all.change = [&](session_setup& setup) {
    setup.answers = &looks;
    setup.quarantined
      = {{protocol::parse_uuid(told->value).value(), told->message}};
  };
  all.begin({says("one"), says("poison"), says("three")}, end);
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"completed", "failed", "completed"});
  CHECK(all.sink.text.find(R"("code":"quarantined")") != std::string::npos);
  CHECK(all.sink.text.find("indigestible") != std::string::npos);
}

TEST_CASE("a session that nobody starts again ends as a fault") {
  const squeamish looks;
  world all;
  ending end;
  all.change = [&](session_setup& setup) {
    setup.answers = &looks;
    const bool refused = GENERATE(false, true);
    if (refused)
      setup.restart = [](const protocol::error&) { return false; };
  };
  all.begin({says("poison")}, end);
  all.run();
  REQUIRE((end && *end));
  CHECK((*end)->outcome.condition == "fault");
  CHECK((*end)->outcome.status == protocol::collab_status::cancelled);
  CHECK((*end)->outcome.observed.find("indigestible") != std::string::npos);
}

TEST_CASE("a session whose actor is killed is started again, too") {
  world all;
  ending end;
  int rescued = 0;
  all.change = [&](session_setup& setup) {
    setup.restart = [&](const protocol::error&) { return ++rescued > 0; };
  };
  const auto session = all.begin({says("one", 5)}, end);
  all.run();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  all.run();
  CHECK(rescued == 1);
  CHECK(how(end) == "goes on");
}
