#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;
using enum protocol::agent_sharing;
using texts = std::vector<std::string>;

TEST_CASE("an agent sees its conversation, its group's turns or all of a run") {
  talk uut;
  const auto say = [&](const char* node, std::int64_t index, const char* id,
                       const char* group) {
    auto turn = turn_of(index, id);
    if (group != nullptr)
      turn.group_id = group;
    REQUIRE(uut.feed(exchange_resume{turn}, node).answer);
  };
  REQUIRE(uut.open({.node_id = "a", .initial_turn = turn_of(0, "a0")}).answer);
  REQUIRE(uut.open({.node_id = "b", .initial_turn = turn_of(0, "b0")}).answer);
  say("b", 1, "b1-red", "red");
  say("a", 1, "a1", nullptr);
  say("a", 2, "a2-red", "red");
  say("b", 2, "b2-blue", "blue");
  say("a", 3, "a3", "");
  const auto seen = [&](const turn_viewer& who) {
    texts ids;
    for (const auto* each : uut.book.turns_for(who))
      ids.push_back(each->turn.message_id);
    return ids;
  };
  CHECK(seen({"r:a:0", isolated, ""}) == texts{"a0", "a1", "a3"});
  CHECK(seen({"r:a:0", isolated, "red"}) == texts{"a0", "a1", "a3"});
  CHECK(seen({"", shared, ""}) == texts{"a0", "b0", "a1", "a3"});
  CHECK(seen({"", shared_in_group, "red"}) == texts{"b1-red", "a2-red"});
  CHECK(seen({"r:b:0", shared_in_group, "blue"}) == texts{"b0", "b2-blue"});
  CHECK(seen({"", shared_in_group, ""}).empty());
  uut.restart();
  CHECK(seen({"", shared_in_group, "red"}) == texts{"b1-red", "a2-red"});
}
