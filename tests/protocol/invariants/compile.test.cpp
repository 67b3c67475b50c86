#include <convene/protocol/invariants/path.hpp>
#include <protocol/invariants/samples.hpp>

#include <algorithm>

using namespace convene::protocol;
using namespace convene::test;

namespace {

json::object plain_rule() {
  return {{"id", "a"},
          {"scope", "plan"},
          {"path", "title"},
          {"rule", "exists"},
          {"when", nullptr},
          {"description", "why"},
          {"demanded_by", json::array{"golden flows"}}};
}

struct fault_case {
  const char* member;
  json::value value;
  const char* rule;
};

} // namespace

TEST_CASE("the embedded rules are all understood") {
  const auto& all = embedded_invariants();
  REQUIRE(all);
  CHECK(all->all().size() == 96);
  const auto usual = usual_invariants();
  REQUIRE(usual);
  CHECK(usual->all().size() == 96 - 16);
}

TEST_CASE("a rule that is not understood is refused with its place") {
  const std::vector<fault_case> cases{
    {"rule", "uuid", "unknown_rule"},
    {"rule", "", "bad_value"},
    {"rule", 7, "bad_value"},
    {"rule", "min-length(x)", "unknown_rule"},
    {"rule", "min-length(-1)", "unknown_rule"},
    {"rule", "min-length(99999999999999999999999)", "unknown_rule"},
    {"rule", "length()", "unknown_rule"},
    {"rule", "enum()", "unknown_rule"},
    {"rule", "enum(a,,b)", "unknown_rule"},
    {"rule", "enum(a, b)", "unknown_rule"},
    {"rule", "enum( )", "unknown_rule"},
    {"rule", "if(status = x, exists)", "unknown_rule"},
    {"rule", "eq(title)", "unknown_scope"},
    {"rule", "eq(planet.title)", "unknown_scope"},
    {"rule", "eq(plan.)", "bad_path"},
    {"rule", "eq(plan.steps[*].step_id)", "bad_path"},
    {"rule", nullptr, "unknown_rule"},
    {"path", "", "bad_value"},
    {"path", nullptr, "bad_path"},
    {"path", "a..b", "bad_path"},
    {"path", "a[", "bad_path"},
    {"path", "a[x]", "bad_path"},
    {"path", "a[-1]", "bad_path"},
    {"path", "a]", "bad_path"},
    {"path", "[0]", "bad_path"},
    {"path", "a b", "bad_path"},
    {"path", "a[*].b[*].c.d.e.f.g.h.i.j.k.l.m.n.o", "path_steps_max"},
    {"scope", "planet", "unknown_scope"},
    {"scope", nullptr, "unknown_scope"},
    {"when", "always", "bad_value"},
    {"when", json::object{{"present", false}}, "bad_value"},
    {"id", "", "bad_value"},
    {"description", nullptr, "bad_value"},
    {"demanded_by", json::array{}, "bad_value"},
    {"level", "note", "bad_value"},
    {"levle", "error", "unknown_member"},
  };
  rule_set rules;
  REQUIRE(rules.add("good", json::array{plain_rule()}));
  for (const auto& [member, value, rule] : cases) {
    auto spoiled = plain_rule();
    spoiled["id"] = "b";
    spoiled[member] = value;
    INFO(json::value(spoiled));
    const auto refused = rules.add("bad", json::array{spoiled});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == rule);
    CHECK(refused.error().pointer.starts_with("/0"));
    CHECK_FALSE(refused.error().message.empty());
  }
  CHECK(rules.all().size() == 1); // a refused file adds nothing
  CHECK(rules.add("bad", json::array{plain_rule()}).error().rule
        == "duplicate_id");
  CHECK_FALSE(rules.add("bad", json::object{}));
  CHECK_FALSE(rules.add("bad", json::array{7}));
}

TEST_CASE("a program's rule counts only with its id and its kind of document") {
  auto rule = plain_rule();
  rule["id"] = "map_orchestrator_required";
  rule["rule"] = nullptr;
  rule["path"] = nullptr;
  rule_set rules;
  CHECK(rules.add("own", json::array{rule}).error().rule == "unknown_rule");
  rule["scope"] = "collab";
  CHECK(rules.add("own", json::array{rule}));
}

TEST_CASE("too many rules are refused") {
  json::array many;
  for (std::size_t i = 0; i <= invariants_max; ++i) {
    auto rule = plain_rule();
    rule["id"] = "r" + std::to_string(i);
    many.push_back(std::move(rule));
  }
  rule_set rules;
  CHECK(rules.add("many", many).error().rule == "invariants_max");
  many.pop_back();
  CHECK(rules.add("many", many));
  CHECK(rules.add("more", json::array{plain_rule()}).error().rule
        == "invariants_max");
}

TEST_CASE("rules are chosen by set and by id, and no others") {
  const auto& all = embedded_invariants().value();
  const auto chosen = rules_of({"sa", "map_min_participants"});
  CHECK(chosen.all().size() == 10);
  const std::vector<std::string_view> wrong{"sa_requires_kontext"};
  const auto refused = all.select(wrong);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("sa_requires_context")
        != std::string::npos);
}

TEST_CASE("a path leads to each value, with the indices that it has") {
  const auto document
    = parse_json(R"({"a": [{"b": [1, 2]}, {"c": 3}, {"b": []}, 4]})");
  const auto visit = [&](std::string_view path) {
    std::string all;
    visit_path(parse_path(path), *document, {},
               [&](const json::value* value, const place& at) {
                 all += to_path(at) + (value == nullptr ? "? " : " ");
               });
    return all;
  };
  CHECK(visit("a[*].b[*]") == "a[0].b[0] a[0].b[1] a[1].b? a[3].b? ");
  CHECK(visit("a[1].c") == "a[1].c ");
  CHECK(visit("a[9].c") == "a[9]? ");
  CHECK(visit("a[0].b.c") == "a[0].b.c? ");
  CHECK(visit("z[*].b") == "z? ");
  CHECK(visit("a[0][*]") == "a[0][0]? ");
}

TEST_CASE("the rule language's other words do what they say") {
  const auto judge = [](const char* rule, const char* value) {
    auto one = plain_rule();
    one["rule"] = rule;
    rule_set rules;
    REQUIRE(rules.add("own", json::array{one}));
    const json::value document{{"title", *parse_json(value)}};
    return check_rules(rules, invariant_scope::plan, document,
                       related_documents{rules})
      .broken.empty();
  };
  CHECK(judge("positive-integer", "1"));
  CHECK(judge("positive-integer", "18446744073709551615"));
  for (const auto* value : {"0", "-1", "1.5", "\"1\"", "null"})
    CHECK_FALSE(judge("positive-integer", value));
  CHECK(judge("length(2)", "\"\xc3\xa4\xf0\x9f\x98\x80\""));
  CHECK_FALSE(judge("length(2)", "\"abc\""));
  CHECK_FALSE(judge("length(2)", "{}"));
  CHECK(judge("min-length(2)", "[1, 2, 3]"));
  CHECK_FALSE(judge("non-empty-string", "\"\\u00a0\\t\\ufeff\\u2003\""));
  CHECK(judge("non-empty-string", "\"\\u200b\"")); // no space, as in ECMA 262
  CHECK(judge("eq(\"a\")", "\"a\""));
  CHECK_FALSE(judge("eq(\"a\")", "\"A\""));
  CHECK(judge("eq(plan.title)", "[1, {\"a\": null}]"));
  CHECK_FALSE(judge("uuid-v4", "\"5F3C3A7E-9A37-4B8E-8A0F-000000000001\""));
}
