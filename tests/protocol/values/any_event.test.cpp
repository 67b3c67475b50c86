#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <protocol/checks/filler.hpp>
#include <protocol/values/types.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

namespace {

/// A random value of the kind with this index.
template <std::size_t... i>
any_event
random_event(std::size_t kind, std::uint32_t seed, std::index_sequence<i...>) {
  any_event made;
  filler fill{seed};
  const auto make = [&]<std::size_t at>() {
    describe(fill, made.emplace<at>());
  };
  ((i == kind ? make.template operator()<i>() : void()), ...);
  return made;
}

any_event random_event(std::size_t kind, std::uint32_t seed) {
  return random_event(
    kind, seed, std::make_index_sequence<std::variant_size_v<any_event>>{});
}

error refusal(std::string_view line) {
  const auto decoded = decode_event_line(line);
  REQUIRE_FALSE(decoded);
  return decoded.error();
}

} // namespace

TEST_CASE("a line of any kind is read back as what was written") {
  for (std::size_t kind = 0; kind < std::variant_size_v<any_event>; ++kind) {
    INFO(to_word(static_cast<event_kind>(kind)));
    CHECK(rc::check([&](std::uint32_t seed) {
      auto event = random_event(kind, seed);
      // These families have kinds of their own, and so have these samples.
      if (auto* core = std::get_if<core_event>(&event))
        if (schema_of_family(to_word(core->event_family)) != "mplp-event-core")
          core->event_family = event_family::cost_budget;
      const auto line = json::serialize(encode_event(event));
      const auto decoded = decode_event_line(line);
      if (!decoded)
        RC_FAIL(line + '\n' + to_string(decoded.error()));
      RC_ASSERT(kind_of(*decoded) == static_cast<event_kind>(kind));
      RC_ASSERT((*decoded == event));
    }));
  }
}

TEST_CASE("an event of one of the three families must be all that they are") {
  for (const auto* family :
       {"pipeline_stage", "graph_update", "runtime_execution"}) {
    const auto refused = refusal(
      R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"x",)"
      R"("timestamp":"2026-01-31T12:00:00Z","event_family":")"
      + std::string{family} + "\"}");
    INFO(family);
    CHECK(refused.rule == "required");
    CHECK(refused.pointer.empty());
  }
}

TEST_CASE("what is no event is refused, and says so") {
  for (const auto* line :
       {"{}", "[]", "7", "null", R"({"event_type":"x"})", R"({"plan_id":"x"})",
        R"({"log_opened":{"format":1,"segment":1,"previous":null}})",
        R"({"meta":{},"context_id":"x","root":{}})"}) {
    INFO(line);
    CHECK(refusal(line).code == errc::invalid_document);
    CHECK(refusal(line).rule == "event_kind");
  }
  CHECK(refusal("{").code == errc::invalid_json);
  CHECK(refusal(R"({"event_type":"x","event_type":"x"})").rule
        == "duplicate_key");
  CHECK(decode_event(json::value(7), "/3").error().pointer == "/3");
}

TEST_CASE("faults of an event are where they are") {
  const auto [line, rule, pointer] = GENERATE(table<const char*, const char*,
                                                    const char*>({
    {R"({"event_type":"SAStarted","sa_id":"x"})", "enum", "/event_type"},
    {R"({"event_type":"MAPTurnTaken","session_id":"x"})", "enum",
     "/event_type"},
    {R"({"event_type":"MAPTurnDispatched","session_id":"x","extra":1})",
     "format", "/session_id"},
    {R"({"event_type":"x","event_family":"weather"})", "enum", "/event_family"},
    {R"({"event_type":"x","event_family":"intent","payload":[]})", "type",
     "/payload"},
    {R"({"event_type":"a_b","source":"plan"})", "pattern", "/event_type"},
    {R"({"file_path":"a","change_type":"moved"})", "enum", "/change_type"},
    {R"({"repo_url":"a","author_email":"nobody"})", "format", "/author_email"},
    {R"({"ci_provider":"a","run_url":"runs/7"})", "format", "/run_url"},
    {R"({"ci_provider":"a","stages":[{"status":"completed"}]})", "enum",
     "/stages/0/status"},
    {R"({"tool_id":"a","exit_code":0.5})", "type", "/exit_code"},
    {R"({"sample_id":7,"sample_family":"intent_resolution"})", "type",
     "/sample_id"},
    {R"({"sample_family":"x","meta":{"quality_score":1.5},"sample_id":"00000000-0000-4000-8000-000000000001"})",
     "maximum", "/meta/quality_score"},
    {R"({"success_flag":true,"timestamps":{}})", "required", "/timestamps"},
  }));
  INFO(line);
  const auto refused = refusal(line);
  INFO(to_string(refused));
  CHECK(refused.rule == rule);
  CHECK(refused.pointer == pointer);
}

TEST_CASE("numbers and members that no schema names lose nothing") {
  const auto* const line
    = R"({"sample_id":"0F9B7C5E-1A2B-1C3D-8E4F-5A6B7C8D9E0F",)"
      R"("sample_family":"delta_impact","created_at":"2026-01-31T12:00:00Z",)"
      R"("input":{"delta_id":"d","intent_id":"i","change_summary":"","n":1},)"
      R"("state":{"psg_complexity_score":18446744073709551615,"z":[{}]},)"
      R"("output":{"actual_impact_summary":"","impact_scope":"module"},)"
      R"("meta":{"quality_score":1,"more":{"a":null}},"else":"kept"})";
  const auto decoded = decode_event_line(line);
  REQUIRE(decoded);
  CHECK(json::serialize(encode_event(*decoded)) == line);
  const auto& sample = std::get<delta_sample>(*decoded);
  CHECK(sample.meta->quality_score->value() == 1);
  CHECK(sample.others.at("else") == "kept");
}
