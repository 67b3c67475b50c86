// One MAP event of a turn against its schema: parsed already, and with the
// parse; and the same event with a fault, described.
#include <benchmark/benchmark.h>
#include <boost/json/parse.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/schemas/catalog.hpp>
#include <simdjson.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

using namespace convene::protocol;

namespace {

constexpr std::string_view event_text = R"json({
"event_id":"2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1",
"event_type":"MAPTurnDispatched","timestamp":"2026-11-21T10:15:30.123Z",
"session_id":"7c9e6679-7425-40de-944b-e07fc1f90ae7",
"initiator_role":"planner","target_roles":["reviewer"],
"payload":{"role_id":"9b2d7c1e-8f4a-4c6b-b0d3-3e5f7a9c1b2d",
"turn_number":17,"token_id":"0e4f8a2c-6b1d-4e9f-8c3a-5d7b9e1f2a4c"}})json";

compiled_schema map_event() {
  auto made = embedded_schema("mplp-map-event");
  if (!made) {
    std::cerr << to_string(made.error()) << '\n';
    std::exit(1);
  }
  return *made;
}

void expect(benchmark::State& state, bool met) {
  if (!met)
    state.SkipWithError("the verdict is wrong");
}

void validate_on_tape(benchmark::State& state) {
  const auto schema = map_event();
  simdjson::dom::parser parser;
  const simdjson::padded_string text{event_text};
  const simdjson::dom::element event = parser.parse(text);
  for (auto _ : state)
    expect(state, validate(schema, event).valid);
}
BENCHMARK(validate_on_tape);

void validate_tree(benchmark::State& state) {
  const auto schema = map_event();
  const auto event = boost::json::parse(event_text);
  for (auto _ : state)
    expect(state, validate(schema, event).valid);
}
BENCHMARK(validate_tree);

void parse_only(benchmark::State& state) {
  simdjson::dom::parser parser;
  const simdjson::padded_string text{event_text};
  for (auto _ : state)
    expect(state, !parser.parse(text).error());
}
BENCHMARK(parse_only);

void parse_and_validate(benchmark::State& state) {
  const auto schema = map_event();
  simdjson::dom::parser parser;
  const simdjson::padded_string text{event_text};
  for (auto _ : state) {
    const simdjson::dom::element event = parser.parse(text);
    expect(state, validate(schema, event).valid);
  }
}
BENCHMARK(parse_and_validate);

void describe_a_fault(benchmark::State& state) {
  const auto schema = map_event();
  auto event = boost::json::parse(event_text);
  event.as_object()["event_id"] = 7;
  for (auto _ : state)
    expect(state, validate(schema, event).violations.size() == 1);
}
BENCHMARK(describe_a_fault);

void compile_the_schema(benchmark::State& state) {
  const auto& file = *convene::schemas::find("mplp-map-event");
  for (auto _ : state) {
    schema_set set;
    expect(state, set.add_text({}, file.text) && compile(set, file.id));
  }
}
BENCHMARK(compile_the_schema);

} // namespace

BENCHMARK_MAIN();
