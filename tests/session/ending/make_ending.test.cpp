#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/session/ending/ending.hpp>

using namespace convene::session;
using convene::protocol::errc;
namespace json = boost::json;

namespace {

auto read(std::string_view text) {
  return make_ending(json::parse(text).as_object(), "/session/end");
}

} // namespace

TEST_CASE("what the functions of when write is read") {
  const auto one
    = GENERATE(when::turns(1), when::rounds(2), when::duration_ms(3),
               when::idle_ms(4), when::text("a|b", "role"), when::text("x"),
               when::all_votes(), when::majority_votes(), when::votes(0.5),
               when::plan_complete(), when::resource_equals("file", "a", 1),
               when::resource_matches("file", "a", "x|y"), when::tokens(5),
               when::cost_microusd(6), when::failures(7), when::no_progress(8),
               when::stopped(), when::none(when::turns(1)),
               when::all({when::turns(1)}),
               when::any({when::turns(1), when::stopped()}));
  CAPTURE(one);
  CHECK(make_ending(one));
}

TEST_CASE("a condition that makes no sense is refused with its place") {
  const auto [text, rule, pointer]
    = GENERATE(table<std::string, std::string, std::string>({
      {"{}", "required", ""},
      {R"({"turn": 1})", "unknown_condition", "/turn"},
      {R"({"turns": 1, "rounds": 1})", "one_condition", "/rounds"},
      {R"({"turns": 0})", "minimum", "/turns"},
      {R"({"turns": -1})", "minimum", "/turns"},
      {R"({"turns": 1.5})", "type", "/turns"},
      {R"({"rounds": {}})", "required", "/rounds"},
      {R"({"rounds": {"multiple_of": 0}})", "minimum", "/rounds/multiple_of"},
      {R"({"rounds": {"multiple_of": 2, "of": 1}})", "required", "/rounds"},
      {R"({"turns": "1"})", "type", "/turns"},
      {R"({"turns": 18446744073709551615})", "minimum", "/turns"},
      {R"({"duration_ms": 99999999999})", "minimum", "/duration_ms"},
      {R"({"role": "r"})", "unknown_condition", "/role"},
      {R"({"text": "", "role": "r"})", "type", "/text"},
      {R"({"text": "x", "role": ""})", "type", "/role"},
      {R"({"text": 1})", "type", "/text"},
      {R"({"votes": "most"})", "enum", "/votes"},
      {R"({"votes": 0})", "enum", "/votes"},
      {R"({"votes": 1.01})", "enum", "/votes"},
      {R"({"plan": true})", "enum", "/plan"},
      {R"({"stopped": false})", "enum", "/stopped"},
      {R"({"resource": 1})", "type", "/resource"},
      {R"({"resource": {"resource_type": "f", "resource_id": "a"}})",
       "required", "/resource"},
      {R"({"resource": {"resource_id": "a", "equals": 1}})", "required",
       "/resource"},
      {R"({"resource": {"resource_type": "", "equals": 1}})", "type",
       "/resource/resource_type"},
      {R"({"resource": {"equals": 1, "matches": "x"}})", "one_condition",
       "/resource/matches"},
      {R"({"resource": {"matches": "("}})", "pattern", "/resource/matches"},
      {R"({"resource": {"equal": 1}})", "additionalProperties",
       "/resource/equal"},
      {R"({"all": []})", "minItems", "/all"},
      {R"({"any": {}})", "type", "/any"},
      {R"({"any": [{"turns": 1}, 2]})", "type", "/any/1"},
      {R"({"custom": ""})", "type", "/custom"},
      {R"({"custom": true})", "type", "/custom"},
      {R"({"not": {"all": [{"text": "("}]}})", "pattern", "/not/all/0/text"},
    }));
  CAPTURE(text);
  const auto refused = read(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == rule);
  CHECK(refused.error().pointer == "/session/end" + pointer);
  CHECK_FALSE(refused.error().message.empty());
}

TEST_CASE("a misspelt condition is told its neighbour's name") {
  const auto refused = read(R"({"idel_ms": 5})");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Catch::Contains("idle_ms"));
}

TEST_CASE("conditions without bound are refused by name") {
  auto deep = when::turns(1);
  for (std::size_t i = 0; i < condition_depth_max; ++i)
    deep = when::none(std::move(deep));
  CHECK(make_ending(deep));
  const auto deeper = make_ending(when::none(std::move(deep)));
  REQUIRE_FALSE(deeper);
  CHECK(deeper.error().code == errc::limit_reached);
  CHECK(deeper.error().rule == "condition_depth_max");

  std::vector many(conditions_max - 1, when::turns(1));
  CHECK(make_ending(when::all(many)));
  many.push_back(when::turns(1));
  const auto more = make_ending(when::all(many));
  REQUIRE_FALSE(more);
  CHECK(more.error().rule == "conditions_max");
}

TEST_CASE("a multiple of rounds holds from its end to that of the next round") {
  const auto made = read(R"({"rounds": {"multiple_of": 2}})");
  REQUIRE(made);
  progress past{1};
  std::vector<bool> held;
  for (int i = 0; i < 5; ++i) {
    const auto found = made->check({.progress = &past});
    held.push_back(found.has_value());
    if (found)
      CHECK(found->observed == std::to_string(past.rounds()));
    past.note_broadcast_closed();
  }
  CHECK(held == std::vector<bool>{false, false, true, false, true});
}
