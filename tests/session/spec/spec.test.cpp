#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/spec/describe_spec.hpp>
#include <convene/session/spec/spec.hpp>
#include <protocol/checks/filler.hpp>
#include <rapidcheck.h>

#include <fstream>
#include <iterator>

using namespace convene;
using namespace convene::session;
namespace json = protocol::json;
using protocol::errc;
using protocol::error;

namespace {

json::value document(const std::string& kind) {
  std::ifstream file{CONVENE_SOURCE_DIR "/tests/corpus/valid/" + kind + ".json",
                     std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return protocol::parse_json(text).value();
}

/// A scenario that says everything that one can say.
json::value full() {
  json::object scenario{
    {"convene", "1"},
    {"context", document("context")},
    {"collab", document("collab")},
    {"plan", document("plan")},
    {"confirm", document("confirm")},
    {"roles", {document("role")}},
    {"task", "Review it"},
    {"tasks", {{{"title", "one more"}, {"role", "coder"}}}},
    {"behaviours", {{"lead", {{"type", "plan"}}}, {"*", {{"type", "echo"}}}}},
    {"workspace",
     {{{"resource_type", "file"}, {"resource_id", "a"}, {"value", {1}}}}},
    {"session",
     {{"turn_timeout_ms", 1},
      {"max_turns", 2},
      {"max_duration_ms", 3},
      {"rounds", 4},
      {"swap_every", 0},
      {"quorum", 0.5},
      {"retries", 0},
      {"orchestrator", "lead"},
      {"deputy", "ana"},
      {"initiator", "lead"},
      {"assign", {{"planner", "lead"}}},
      {"policy", "sixth"},
      {"conflicts",
       {{"strategy", "merge"},
        {"ranks", {{"lead", 2}}},
        {"by_resource_type", {{"doc", "voting"}}}}}}},
    {"seed", 18446744073709551615U}};
  return scenario;
}

json::value smallest() {
  return {{"convene", "1"},
          {"context", document("context")},
          {"collab", document("collab")}};
}

error refusal(const json::value& from) {
  const auto decoded = decode_spec(from);
  REQUIRE_FALSE(decoded);
  return decoded.error();
}

/// What is wrong with a scenario whose `session` has this member alone.
error option_refusal(std::string_view name, const json::value& value) {
  auto from = smallest();
  from.as_object()["session"] = {{name, value}};
  return refusal(from);
}

} // namespace

TEST_CASE("a scenario that says everything comes out as it went in") {
  const auto decoded = decode_spec(full());
  REQUIRE(decoded);
  CHECK(json::serialize(encode(*decoded)) == json::serialize(full()));
  CHECK(decoded->options.assign.at("planner") == "lead");
  CHECK(decoded->seed == 18446744073709551615U);
  CHECK(decoded->plan->steps.size() == 2);
}

TEST_CASE("what a scenario leaves out has its default, and is written out") {
  const auto decoded = decode_spec(smallest());
  REQUIRE(decoded);
  CHECK(decoded->options == options{});
  CHECK_FALSE(decoded->plan);
  CHECK_FALSE(decoded->seed);
  const auto written = encode(*decoded);
  CHECK(json::serialize(written.at("session"))
        == R"({"max_turns":1000,)"
           R"("max_duration_ms":3600000,"swap_every":1,)"
           R"("retries":1})");
  CHECK_FALSE(written.contains("plan"));
  CHECK(decode_spec(written) == decoded);
}

TEST_CASE("the time for a request is filled in where all have the same") {
  auto made = decode_spec(smallest()).value();
  fill_turn_timeout(made);
  CHECK(made.options.turn_timeout_ms == 30'000);
  made.options.turn_timeout_ms = 7;
  fill_turn_timeout(made);
  CHECK(made.options.turn_timeout_ms == 7);
  made.options.turn_timeout_ms.reset();
  made.behaviours["*"] = {{"type", "human"}};
  fill_turn_timeout(made);
  CHECK_FALSE(made.options.turn_timeout_ms);
}

TEST_CASE("null stands for an option that is not set") {
  auto from = smallest();
  from.as_object()["plan"] = nullptr;
  from.as_object()["session"]
    = {{"rounds", nullptr}, {"policy", nullptr}, {"orchestrator", nullptr}};
  CHECK(decode_spec(from) == decode_spec(smallest()));
}

TEST_CASE("an editor's schema line and a comment are dropped") {
  auto from = smallest();
  from.as_object()["$schema"] = "convene-scenario.schema.json";
  from.as_object()["$comment"] = "hello";
  CHECK(decode_spec(from) == decode_spec(smallest()));
}

TEST_CASE("the version of the format is required and must be ours") {
  auto from = smallest();
  from.as_object()["convene"] = "2";
  CHECK(refusal(from).rule == "const");
  CHECK(refusal(from).pointer == "/convene");
  CHECK(refusal(from).value == "\"2\"");
  from.as_object()["convene"] = 1;
  CHECK(refusal(from).rule == "type");
  from.as_object().erase("convene");
  CHECK(refusal(from).rule == "required");
}

TEST_CASE("context and collab are required") {
  for (const auto* name : {"context", "collab"}) {
    auto from = smallest();
    from.as_object().erase(name);
    CHECK(refusal(from).rule == "required");
    CHECK(refusal(from).message.find(name) != std::string::npos);
  }
}

TEST_CASE("faults inside embedded documents have the whole pointer") {
  auto from = full();
  from.at("plan").at("steps").at(1).as_object()["status"] = "running";
  CHECK(refusal(from).pointer == "/plan/steps/1/status");
  from = full();
  from.at("roles").at(0).as_object().erase("name");
  CHECK(refusal(from).pointer == "/roles/0");
  from = full();
  from.at("collab") = "collab.json";
  CHECK(refusal(from).pointer == "/collab");
  CHECK(refusal(from).rule == "type");
}

TEST_CASE("an unknown member is refused with the name it may have been") {
  auto from = smallest();
  from.as_object()["behaviors"] = json::object{};
  auto refused = refusal(from);
  CHECK(refused.rule == "additionalProperties");
  CHECK(refused.pointer == "/behaviors");
  CHECK(refused.message.find("did you mean \"behaviours\"")
        != std::string::npos);
  refused = option_refusal("turn_timeout", 3);
  CHECK(refused.pointer == "/session/turn_timeout");
  CHECK(refused.message.find("turn_timeout_ms") != std::string::npos);
  refused = option_refusal("colour", "red");
  CHECK(refused.message.find("did you mean") == std::string::npos);
}

TEST_CASE("every option has its bounds") {
  struct sample {
    std::string name;
    json::value lowest;
    json::value too_low;
    std::string low_rule;
    json::value highest;
    json::value too_high;
  };
  const auto x = GENERATE(values<sample>({
    {"turn_timeout_ms", 1, 0, "minimum", 31622400000, 31622400001},
    {"max_duration_ms", 1, -1, "minimum", 31622400000, 31622400001},
    {"max_turns", 1, 0, "minimum", 1000000000, 1000000001},
    {"rounds", 1, 0, "minimum", 1000000, 1000001},
    {"swap_every", 0, -1, "minimum", 1000000, 1000001},
    {"quorum", 0.001, 0, "exclusiveMinimum", 1, 1.001},
    {"retries", 0, -1, "minimum", 100, 101},
  }));
  CAPTURE(x.name);
  for (const auto& good : {x.lowest, x.highest}) {
    auto from = smallest();
    from.as_object()["session"] = {{x.name, good}};
    CHECK(decode_spec(from));
  }
  auto refused = option_refusal(x.name, x.too_low);
  CHECK(refused.code == errc::invalid_document);
  CHECK(refused.rule == x.low_rule);
  CHECK(refused.pointer == "/session/" + x.name);
  refused = option_refusal(x.name, x.too_high);
  CHECK(refused.rule == "maximum");
  CHECK(option_refusal(x.name, "1").rule == "type");
}

TEST_CASE("names in options must not be empty") {
  for (const auto* name : {"orchestrator", "deputy", "initiator", "policy"})
    CHECK(option_refusal(name, "").rule == "minLength");
  const auto refused = option_refusal("assign", {{"planner", ""}});
  CHECK(refused.rule == "minLength");
  CHECK(refused.pointer == "/session/assign/planner");
}

TEST_CASE("an end that is null is none") {
  auto from = smallest();
  from.as_object()["session"] = {{"end", nullptr}};
  CHECK(decode_spec(from) == decode_spec(smallest()));
}

TEST_CASE("strategies have one spelling, and others that are understood") {
  using enum conflict_strategy;
  const auto [text, meant] = GENERATE(table<std::string, conflict_strategy>({
    {"hierarchy", hierarchy},
    {"voting", voting},
    {"vote", voting},
    {"last-write-wins", last_write_wins},
    {"LWW", last_write_wins},
    {"lww", last_write_wins},
    {"timestamp", last_write_wins},
    {"last_write_wins", last_write_wins},
    {"first-write-wins", first_write_wins},
    {"fww", first_write_wins},
    {"merge", merge},
    {"escalation", escalation},
    {"escalate", escalation},
  }));
  auto from = smallest();
  from.as_object()["session"] = {{"conflicts",
                                  {{"strategy", text},
                                   {"ranks", {{"role-a", -3}}},
                                   {"by_resource_type", {{"doc", text}}}}}};
  const auto made = decode_spec(from);
  REQUIRE(made);
  const auto& conflicts = made->options.conflicts;
  CHECK(conflicts.strategy == meant);
  CHECK(conflicts.strategy_for("doc") == meant);
  CHECK(conflicts.ranks.at("role-a") == -3);
  if (meant != hierarchy)
    CHECK(encode(*made).at("session").at("conflicts").at("strategy").as_string()
          == protocol::to_word(meant));
}

TEST_CASE("what conflicts may say is checked") {
  auto rule_of = [](json::object conflicts) {
    return option_refusal("conflicts", std::move(conflicts)).rule;
  };
  CHECK(rule_of({{"strategy", "coin"}}) == "enum");
  CHECK(rule_of({{"by_resource_type", {{"doc", "coin"}}}}) == "enum");
  CHECK(rule_of({{"ranks", {{"a", 0.5}}}}) == "type");
  CHECK(rule_of({{"ranks", {{"a", 1'000'001}}}}) == "maximum");
  CHECK(rule_of({{"any", 1}}) == "additionalProperties");
}

TEST_CASE("a workspace lists resources with any value") {
  auto from = smallest();
  from.as_object()["workspace"]
    = {{{"resource_type", "file"}, {"resource_id", "a"}, {"value", "text"}},
       {{"resource_type", "file"}, {"resource_id", "b"}}};
  const auto made = decode_spec(from);
  REQUIRE(made);
  CHECK(made->workspace[0].value == "text");
  CHECK(made->workspace[1].value.is_null());
  CHECK(decode_spec(encode(*made)) == made);
  from.as_object()["workspace"] = {{{"resource_type", "file"}}};
  CHECK(refusal(from).rule == "required");
  CHECK(refusal(from).pointer == "/workspace/0");
}

TEST_CASE("a behaviour belongs to a participant or to the rest") {
  auto from = smallest();
  from.as_object()["behaviours"] = {{"laed", json::object{}}};
  auto refused = refusal(from);
  CHECK(refused.rule == "known_participant");
  CHECK(refused.pointer == "/behaviours/laed");
  CHECK(refused.message.find("did you mean \"lead\"") != std::string::npos);
  CHECK(refused.value == "\"laed\"");
  from.as_object()["behaviours"] = {{"somebody", json::object{}}};
  CHECK(refusal(from).message.find("; the ids are ") != std::string::npos);
  from.as_object()["behaviours"] = {{"lead", "echo"}};
  CHECK(refusal(from).rule == "type");
  CHECK(refusal(from).pointer == "/behaviours/lead");
}

TEST_CASE("a seed is any number of 64 bits") {
  auto from = smallest();
  for (const std::uint64_t seed : {0U, 42U}) {
    from.as_object()["seed"] = seed;
    CHECK(decode_spec(from)->seed == seed);
  }
  from.as_object()["seed"] = -1;
  CHECK(refusal(from).rule == "minimum");
  from.as_object()["seed"] = 0.5;
  CHECK(refusal(from).rule == "type");
}

TEST_CASE("decoding an encoded scenario gives the scenario back") {
  CHECK(rc::check([](std::uint32_t seed) {
    spec made;
    protocol::filler fill{seed};
    describe(fill, made);
    made.options.quorum = 0.25;
    if (made.trace_context)
      made.trace_context->tracestate = "a=b";
    if (made.options.end)
      made.options.end = when::any({when::turns(2), when::text("x", "y")});
    made.behaviours = {{"*", json::object{{"type", "echo"}}}};
    const auto decoded = decode_spec(encode(made));
    RC_ASSERT((decoded == made));
    const auto text = json::serialize(encode(made));
    RC_ASSERT((decode_spec(protocol::parse_json(text).value()) == made));
  }));
}

namespace {

/// Breaks, in turn, each rule that a description names.
class breaker {
public:
  std::size_t left = 0; ///< members to pass before one is broken

  void member(std::string_view, auto& to, const protocol::constraint& rule) {
    spoil(to, rule);
  }
  void member(std::string_view name, auto& to) {
    member(name, to, protocol::anything);
  }
  void defaulted(std::string_view name, auto& to,
                 const protocol::constraint& rule = {}) {
    member(name, to, rule);
  }
  void sparse(std::string_view name, auto& to,
              const protocol::constraint& rule = {}) {
    member(name, to, rule);
  }
  void open(std::string_view, json::object& to,
            std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional) {
    for (auto name : required)
      if (is_next())
        to[name] = 1;
    for (auto name : optional)
      if (is_next())
        to[name] = 1;
  }
  void ignored(std::string_view) {
    // nop
  }
  void constant(std::string_view, std::string_view) {
    // nop
  }
  void unsupported(std::string_view) {
    // nop
  }

private:
  bool is_next() {
    return left-- == 0;
  }

  template <class T>
  void spoil(T& to, const protocol::constraint& rule) {
    if constexpr (protocol::is_optional<T>) {
      if (to)
        spoil(*to, rule);
    } else if constexpr (protocol::is_vector<T>) {
      if (rule.items_min > 0 && is_next())
        return to.clear();
      if (rule.unique && to.size() == 1 && is_next())
        return to.push_back(to[0]);
      for (auto& item : to)
        spoil(item, rule);
    } else if constexpr (protocol::is_map<T>) {
      for (auto& [key, value] : to)
        spoil(value, rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (is_next())
        to = rule.holds == nullptr ? "\xc0" : "";
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      if (rule.minimum > 0 && is_next())
        to = rule.minimum - 1;
    } else if constexpr (std::is_same_v<T, double>) {
      if (is_next())
        to = std::numeric_limits<double>::infinity();
    } else if constexpr (std::is_same_v<T, json::value>) {
      if (is_next())
        to = rule.any_json
               ? json::value(std::numeric_limits<double>::quiet_NaN())
               : json::value(json::array{});
    } else if constexpr (std::is_same_v<T, json::object>) {
      if (is_next())
        to["*"] = std::numeric_limits<double>::quiet_NaN();
    } else if constexpr (std::is_class_v<T>) {
      describe(*this, to);
    }
  }
};

spec filled(std::uint32_t seed) {
  spec made;
  protocol::filler fill{seed};
  describe(fill, made);
  made.options.quorum = 0.25;
  if (made.trace_context)
    made.trace_context->tracestate = "a=b";
  made.behaviours = {{"*", json::object{{"type", "echo"}}}};
  return made;
}

} // namespace

TEST_CASE("the text of a scenario is its JSON form's") {
  CHECK(rc::check([](std::uint32_t seed) {
    const auto made = filled(seed);
    const auto text = encode_text(made);
    RC_ASSERT(text);
    RC_ASSERT(text->view() == json::serialize(encode(made)));
  }));
}

TEST_CASE("a scenario that could not be read has no text") {
  CHECK(rc::check([](std::uint32_t seed) {
    for (std::size_t n = 0;; ++n) {
      auto made = filled(seed);
      breaker breaks{.left = n};
      describe(breaks, made);
      if (breaks.left <= n)
        break; // there was no n-th
      const auto text = encode_text(made);
      const auto read
        = protocol::parse_json(json::serialize(encode(made)))
            .and_then([](const auto& parsed) { return decode_spec(parsed); });
      RC_ASSERT(!read);
      RC_ASSERT(!text);
      RC_ASSERT((text.error() == read.error()));
    }
  }));
}

TEST_CASE("a scenario acts outside if one of its behaviours may") {
  const auto acts = [](const std::string& type) {
    spec what;
    what.behaviours["ann"] = {{"type", "echo"}};
    what.behaviours["*"] = {{"type", type}};
    return acts_outside(what);
  };
  for (const auto* type : {"echo", "plan", "script", "simulated", "reactive",
                           "human", "external", "function"})
    CHECK_FALSE(acts(type));
  for (const auto* type : {"llm", "process", "http", "a2a", "mcp", "recorded"})
    CHECK(acts(type));
  CHECK_FALSE(acts_outside({}));
}
