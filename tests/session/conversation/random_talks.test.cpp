// Random inputs, and what must hold for any of them.
#include <session/conversation/talk.hpp>
#include <support/dice.hpp>

#include <map>
#include <set>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;

namespace {

/// Random inputs to three nodes, and what they must not do.
class random_talk {
public:
  explicit random_talk(std::uint32_t seed) : dice_{seed} {}

  void step() {
    uut_.now += dice_.below(20);
    if (dice_.chance(5))
      uut_.restart();
    const auto before = uut_.log.size();
    if (dice_.chance(10)) {
      uut_.close_due();
    } else {
      const auto& node = dice_.one_of(nodes_);
      const auto input = random_input(node);
      const auto* opening = std::get_if<open_conversation>(&input);
      judge(node, input,
            opening ? uut_.open(*opening) : uut_.feed(input, node));
    }
    judge_events(before);
  }

private:
  conversation_input random_input(const std::string& node) {
    const auto* const known = uut_.book.find(node);
    const auto turns = known ? known->state().turns.size() : 1;
    if (!known || dice_.chance(10))
      return open_conversation{.node_id = node,
                               .attempt = dice_.below(3),
                               .interrupt_count = dice_.below(3),
                               .prompt = {"?"},
                               .schema = json::object{{"type", "integer"}},
                               .timeout_ms
                               = dice_.chance(50) ? 1 + dice_.below(200) : 0};
    if (dice_.chance(4))
      return cancel_conversation{"x"};
    if (dice_.chance(4))
      return check_deadline{};
    const auto index = dice_.chance(80) ? turns : dice_.below(turns + 2);
    // Those of the conversation, or such as another one of the node may have.
    const auto of = dice_.chance(80) ? known ? known->state().key : ""
                                     : "r:" + node + ":0";
    const auto id = "m" + of + "."
                    + std::to_string(dice_.chance(80) ? index
                                                      : dice_.below(turns + 2));
    auto turn = turn_of(static_cast<std::int64_t>(index), id,
                        dice_.chance(90) ? json::value(dice_.below(2))
                                         : json::value("no number"));
    if (!dice_.chance(12))
      return exchange_resume{std::move(turn)};
    auto made = closing();
    if (dice_.chance(70))
      made.answer.turn = std::move(turn);
    if (dice_.chance(70))
      made.answer.outcome.emplace(json::value(dice_.below(2)));
    return made;
  }

  void judge(const std::string& node, const conversation_input& input,
             const conversation_effects& effects) {
    if (effects.is_duplicate || effects.refusal)
      for (const auto& event : effects.events)
        CHECK(event.payload.held.at("finalTurn").at("content").at("reason")
              == "timed_out");
    if (!effects.answer)
      return;
    const auto& state = uut_.book.find(node)->state();
    if (!effects.is_duplicate) {
      CHECK(effects.answer->turn_index
            == static_cast<std::int64_t>(state.turns.size()) - 1);
      CHECK_FALSE(effects.events.empty());
    }
    const auto* taken = std::get_if<exchange_resume>(&input);
    if (!taken)
      return;
    // Once taken, the same turn is answered like this for ever.
    const auto key = node + " "
                     + json::serialize(protocol::encode(taken->turn));
    const auto [known, is_new] = answers_.try_emplace(key, *effects.answer);
    CHECK(is_new != effects.is_duplicate);
    CHECK(known->second == *effects.answer);
  }

  void judge_events(std::size_t from) {
    for (; from < uut_.log.size(); ++from) {
      const auto& event = uut_.log[from];
      CHECK(ids_.insert(event.event_id).second);
      if (!event.type.starts_with("conversation."))
        continue;
      const std::string id{event.payload.held.at("conversationId").as_string()};
      CHECK_FALSE(closed_.contains(id));
      if (event.type == "conversation.closed")
        closed_.insert(id);
    }
  }

  talk uut_;
  dice dice_;
  const std::vector<std::string> nodes_{"a", "b", "c"};
  std::map<std::string, conversation_answer> answers_;
  std::set<std::string> ids_;
  std::set<std::string> closed_;
};

} // namespace

TEST_CASE("whatever comes, the log alone gives the state that it left") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    random_talk uut{seed};
    for (int i = 0; i < 60; ++i)
      uut.step();
  }
}
