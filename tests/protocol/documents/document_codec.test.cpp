#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <protocol/checks/filler.hpp>
#include <protocol/documents/corpus.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

namespace {

template <class T>
void check_lossless(const std::string& kind) {
  const auto from = read_valid(kind);
  const auto decoded = decode<T>(from);
  REQUIRE(decoded);
  // Text, since the order of members counts.
  CHECK(json::serialize(encode(*decoded)) == json::serialize(from));
}

template <class T>
void check_round_trip() {
  CHECK(rc::check([](std::uint32_t seed) {
    T document;
    filler fill{seed};
    describe(fill, document);
    const auto written = encode(document);
    const auto decoded = decode<T>(written);
    RC_ASSERT(decoded.has_value());
    RC_ASSERT((decoded == document));
    const auto read_back = parse_json(json::serialize(written));
    RC_ASSERT(read_back.has_value());
    RC_ASSERT((decode<T>(*read_back) == decoded));
  }));
}

error refusal(const json::value& from, std::string_view pointer = "") {
  const auto decoded = decode<collab>(from, pointer);
  REQUIRE_FALSE(decoded);
  return decoded.error();
}

plan plan_of(std::size_t steps) {
  plan made;
  for (std::size_t i = 0; i < steps; ++i)
    made.steps.push_back(
      {.step_id = to_string(derive_uuid({}, 0, i)), .description = "step"});
  return made;
}

} // namespace

TEST_CASE("documents with every member come out as they went in") {
  check_lossless<collab>("collab");
  check_lossless<confirm>("confirm");
  check_lossless<context>("context");
  check_lossless<core>("core");
  check_lossless<dialog>("dialog");
  check_lossless<extension>("extension");
  check_lossless<network>("network");
  check_lossless<plan>("plan");
  check_lossless<role>("role");
  check_lossless<trace>("trace");
}

TEST_CASE("decoding what was encoded gives the value back") {
  check_round_trip<collab>();
  check_round_trip<confirm>();
  check_round_trip<context>();
  check_round_trip<core>();
  check_round_trip<dialog>();
  check_round_trip<extension>();
  check_round_trip<network>();
  check_round_trip<plan>();
  check_round_trip<role>();
  check_round_trip<trace>();
}

TEST_CASE("a comment at the top of a document is dropped") {
  auto from = read_valid("plan");
  const auto without = decode<plan>(from);
  from.as_object()["$comment"] = json::array{"anything"};
  CHECK(decode<plan>(from) == without);
}

TEST_CASE("a member of another order or spelling of a number is the same") {
  auto from = read_valid("plan");
  auto& step = from.at("steps").at(0).as_object();
  step["order_index"] = 7.0;
  CHECK(decode<plan>(from)->steps[0].order_index == 7);
  step["order_index"] = std::uint64_t{1} << 63;
  CHECK(decode<plan>(from).error().rule == "maximum");
}

TEST_CASE("pointers start where the document stands") {
  auto from = read_valid("collab");
  from.at("participants").at(1).as_object().erase("kind");
  CHECK(refusal(from, "/collab").pointer == "/collab/participants/1");
  from.as_object()["titel"] = "x";
  from.as_object().erase("title");
  CHECK(refusal(from, "/0").pointer == "/0/participants/1");
}

TEST_CASE("a misspelt member is told before the one that it should be") {
  auto from = read_valid("collab");
  from.as_object().erase("title");
  from.as_object()["titel"] = "x";
  const auto refused = refusal(from);
  CHECK(refused.rule == "additionalProperties");
  CHECK(refused.pointer == "/titel");
  CHECK(refused.message.find("\"title\"") != std::string::npos);
}

TEST_CASE("an error shows what was found, shortened") {
  auto from = read_valid("collab");
  from.at("mode") = std::string(1000, 'x');
  const auto refused = refusal(from);
  CHECK(refused.value.starts_with("\"xxx"));
  CHECK(refused.value.size() == 60);
  from.at("mode") = "swarms";
  CHECK(refusal(from).message.find("did you mean \"swarm\"")
        != std::string::npos);
}

TEST_CASE("a plan may have 10,000 steps in one chain and no more") {
  auto made = plan_of(plan_steps_max);
  for (std::size_t i = 1; i < made.steps.size(); ++i)
    made.steps[i].dependencies = {made.steps[i - 1].step_id};
  CHECK(check_plan(made));
  made.steps[0].dependencies = {made.steps.back().step_id};
  CHECK(check_plan(made).error().rule == "no_cycle");
  const auto refused = check_plan(plan_of(plan_steps_max + 1), "/plan").error();
  CHECK(refused.code == errc::limit_reached);
  CHECK(refused.rule == "plan_steps_max");
  CHECK(refused.pointer == "/plan/steps");
}

TEST_CASE("a cycle is told of a step that is on it") {
  auto made = plan_of(4);
  const auto id = [&](std::size_t i) { return made.steps[i].step_id; };
  made.steps[0].dependencies = {id(1)}; // waits for the cycle only
  made.steps[1].dependencies = {id(3), id(2)};
  made.steps[2].dependencies = {id(1)};
  CHECK(check_plan(made, "/plan").error().pointer
        == "/plan/steps/1/dependencies");
}

TEST_CASE("a dependency that is named twice counts once") {
  auto made = plan_of(2);
  made.steps[1].dependencies = {made.steps[0].step_id, made.steps[0].step_id};
  CHECK(check_plan(made));
}

TEST_CASE("a random plan is refused exactly if an order of its steps fails") {
  CHECK(rc::check([](std::uint32_t seed) {
    std::minstd_rand random{seed + 1};
    auto made = plan_of(1 + random() % 6);
    for (auto& step : made.steps) {
      step.dependencies.emplace();
      for (const auto& other : made.steps)
        if (random() % 4 == 0)
          step.dependencies->push_back(other.step_id);
    }
    // The dumb way: run what can run, as often as there are steps.
    std::set<std::string> done;
    for (std::size_t round = 0; round < made.steps.size(); ++round)
      for (const auto& step : made.steps)
        if (std::ranges::all_of(*step.dependencies, [&](const auto& needed) {
              return done.contains(needed);
            }))
          done.insert(step.step_id);
    RC_ASSERT(check_plan(made).has_value()
              == (done.size() == made.steps.size()));
  }));
}
