#include "asked.hpp"

#include <catch2/catch.hpp>
#include <convene/actors/behaviours/script.hpp>

using namespace convene;
using namespace convene::actors;
using protocol::complete_decision;
using protocol::dispatch_decision;

namespace {

using decisions = std::vector<protocol::decision>;

std::string said(script_behaviour& who, std::uint32_t n) {
  return who.respond(asked::turn("", n)).reply.content;
}

const script two_lines{.turns = {{.content = "one"}, {.content = "two"}}};

} // namespace

TEST_CASE("a script answers its n-th request with its n-th line") {
  script_behaviour actor{two_lines};
  CHECK(said(actor, 1) == "two");
  CHECK(said(actor, 0) == "one");
}

TEST_CASE("a script that is over votes to end") {
  script_behaviour actor{two_lines};
  CHECK(actor.respond(asked::turn("", 2)).reply
        == protocol::reply{.end = true});
}

TEST_CASE("a script that is over goes on with what comes after") {
  auto lines = two_lines;
  lines.after = protocol::reply{.content = "done"};
  script_behaviour actor{lines};
  CHECK(said(actor, 2) == "done");
  CHECK(said(actor, 1000) == "done");
}

TEST_CASE("a script that repeats starts over") {
  auto lines = two_lines;
  lines.repeat = true;
  script_behaviour actor{lines};
  CHECK(said(actor, 2) == "one");
  CHECK(said(actor, 3) == "two");
  SECTION("unless there is nothing in it") {
    script_behaviour empty{script{.repeat = true}};
    CHECK(empty.respond(asked::turn("", 0)).reply.end);
  }
}

TEST_CASE("an orchestrator's script has decisions, and completes after them") {
  const decisions first{dispatch_decision{.participant = "b"}};
  script lines{.turns = two_lines.turns,
               .decisions = {{script_decision{first}}}};
  script_behaviour actor{lines};
  CHECK(actor.respond(asked::decision({"a"}, 0)).reply.decision == first);
  CHECK(actor.respond(asked::decision({"a"}, 1)).reply.decision
        == decisions{complete_decision{true, "end of the script"}});
  SECTION("unless the last of them was refused: then it gives up") {
    auto request = asked::decision({"a"}, 1);
    request.decide.refused = "b has a turn already";
    CHECK(actor.respond(request).reply.decision
          == decisions{complete_decision{
            false, "end of the script, its last decision was refused: b has a "
                   "turn already"}});
  }
  SECTION("its turns and its decisions are counted apart") {
    auto request = asked::turn("", 1);
    request.sequence = 17;
    CHECK(actor.respond(request).reply.content == "two");
  }
  lines.repeat = true;
  CHECK(script_behaviour{lines}.respond(asked::decision({}, 8)).reply.decision
        == first);
}

TEST_CASE("an orchestrator's script decides as the replies in its turns say") {
  const decisions first{dispatch_decision{.participant = "b"}};
  const decisions last{complete_decision{true, "enough"}};
  const auto by_plan = [](std::uint32_t n) {
    return script_behaviour{two_lines}
      .respond(asked::decision({"a"}, n))
      .reply.decision;
  };
  script lines{.turns = {{.decision = first}, {.content = "one"}}};
  const auto decided = [&lines](std::uint32_t n) {
    return script_behaviour{lines}
      .respond(asked::decision({"a"}, n))
      .reply.decision;
  };
  CHECK(decided(0) == first);
  CHECK(decided(1) == by_plan(1));
  CHECK(decided(2) == decisions{complete_decision{true, "end of the script"}});
  script_behaviour actor{lines};
  CHECK(said(actor, 1) == "one");
  SECTION("and beyond them as what comes after says") {
    lines.after = protocol::reply{.decision = last};
    CHECK(decided(2) == last);
    lines.after = protocol::reply{.content = "two"};
    CHECK(decided(2) == by_plan(2));
  }
  lines.repeat = true;
  CHECK(decided(2) == first);
}

TEST_CASE("an orchestrator's script without decisions decides by the plan") {
  script_behaviour actor{two_lines};
  CHECK(actor.respond(asked::decision({"a"})).reply.decision
        == decisions{dispatch_decision{.participant = "a"}});
}
