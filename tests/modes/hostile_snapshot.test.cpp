#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/session/replay/replayer.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <functional>
#include <limits>
#include <vector>

using namespace convene;
using namespace convene::test;
namespace json = boost::json;

namespace {

/// A session in the middle, and its log until there.
struct half_way {
  texts lines;
  json::value state;
};

half_way some_session(const session::routing_policy& policy,
                      std::uint32_t seed) {
  half_way made;
  session::replayer whole{modes::find};
  for (const auto& line : run_random_session(policy, seed).lines) {
    REQUIRE_FALSE(whole.feed(made.lines.size() + 1, line));
    made.lines.push_back(line);
    if (whole.finish())
      continue;
    if (whole.session()->ended())
      break;
    if (auto saved = whole.save())
      made.state = *std::move(saved);
    if (made.lines.size() > 30)
      break;
  }
  return made;
}

void for_each_value(json::value& in,
                    const std::function<void(json::value&)>& visit) {
  visit(in);
  if (auto* object = in.if_object())
    for (auto& member : *object)
      for_each_value(member.value(), visit);
  if (auto* array = in.if_array())
    for (auto& element : *array)
      for_each_value(element, visit);
}

json::value something(dice& dice) {
  const std::vector<json::value> all{nullptr,
                                     true,
                                     -1,
                                     0,
                                     1,
                                     7,
                                     4'294'967'295,
                                     4'294'967'296,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::uint64_t>::max(),
                                     0.5,
                                     "",
                                     "text",
                                     "00000000-0000-4000-8000-000000000000",
                                     json::array{},
                                     json::array{0},
                                     json::array{json::array{}},
                                     json::object{},
                                     json::object{{"turn", 1}}};
  return dice.one_of(all);
}

/// Changes one place of it.
void spoil(json::value& state, dice& dice) {
  std::size_t count = 0;
  for_each_value(state, [&](json::value&) { ++count; });
  auto left = dice.below(count);
  bool done = false;
  for_each_value(state, [&](json::value& at) {
    if (done || left-- != 0)
      return;
    done = true;
    auto* object = at.if_object();
    auto* array = at.if_array();
    if (object != nullptr && !object->empty() && dice.chance(60))
      object->erase(object->begin() + dice.below(object->size()));
    else if (object != nullptr && dice.chance(30))
      object->emplace("another", 1);
    else if (array != nullptr && !array->empty() && dice.chance(40))
      array->push_back(json::value(array->front()));
    else if (array != nullptr && !array->empty() && dice.chance(60))
      array->pop_back();
    else
      at = something(dice);
  });
}

} // namespace

TEST_CASE("a snapshot that is no session's is refused with the place, never "
          "followed") {
  std::size_t refused = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      const auto half = some_session(*policy, seed);
      if (half.state.is_null())
        continue;
      dice dice{seed};
      for (int n = 0; n < 60; ++n) {
        auto state = half.state;
        for (auto changes = 1 + dice.below(3); changes > 0; --changes)
          spoil(state, dice);
        session::replayer again{modes::find};
        const auto good = again.restore(half.lines.front(), state);
        if (good) {
          // It could be one: then it can be saved, too.
          CHECK(again.save());
        } else {
          ++refused;
          CHECK(good.error().code == protocol::errc::invalid_document);
        }
      }
    }
  CHECK(refused > 1'000);
}

TEST_CASE("each member of a snapshot has to be there, and nothing else") {
  half_way half;
  for (std::uint32_t seed = 1; half.state.is_null(); ++seed)
    half = some_session(*modes::find("orchestrated"), seed);
  const auto refused = [&](const json::value& state) {
    session::replayer again{modes::find};
    return !again.restore(half.lines.front(), state);
  };
  REQUIRE_FALSE(refused(half.state));
  for (const auto& member : half.state.at("machine").as_object()) {
    auto state = half.state;
    state.at("machine").as_object().erase(member.key());
    INFO(member.key());
    CHECK(refused(state));
  }
  auto more = half.state;
  more.at("machine").as_object()["another"] = 1;
  CHECK(refused(more));
  CHECK(refused(nullptr));
  CHECK(refused(json::array{}));
  CHECK(refused(json::object{}));
}
