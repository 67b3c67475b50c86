#include <protocol/invariants/samples.hpp>

#include <algorithm>

using namespace convene::protocol;
using namespace convene::test;

namespace {

rules_outcome check_alone(const rule_set& rules, const sample& what) {
  return check_rules(rules, what.scope(), what.document,
                     related_documents{rules});
}

json::value collab_led_by(std::string_view participant, std::string_view role) {
  auto collab = find_sample("collab").document;
  auto& first = collab.at("participants").at(0).as_object();
  first["participant_id"] = participant;
  first["role_id"] = role;
  return collab;
}

} // namespace

TEST_CASE("a rule that lacks the other document is told as not checked") {
  const auto rules = rules_of({"sa"});
  const auto found = check_alone(rules, find_sample("plan"));
  CHECK(found.broken.empty());
  CHECK(found.checked == 3);
  REQUIRE(found.unchecked.size() == 1);
  CHECK(found.unchecked[0]->id == "sa_plan_context_binding");
}

TEST_CASE("a document may belong to any of several of a kind, but to itself "
          "only where the rule says itself") {
  const auto rules
    = rules_of({"plan_context_id_match", "root_span_trace_id_match"});
  auto related = related_samples(rules);
  auto context = find_sample("context").document;
  auto trace = find_sample("trace").document;
  const json::value other = "5f3c3a7e-9a37-4b8e-8a0f-000000000077";
  context.as_object()["context_id"] = other;
  trace.as_object()["trace_id"] = other;
  REQUIRE(related.add(invariant_scope::context, context));
  REQUIRE(related.add(invariant_scope::trace, trace));
  auto plan = find_sample("plan").document;
  plan.as_object()["context_id"] = other;
  CHECK(check_rules(rules, invariant_scope::plan, plan, related).errors == 0);
  CHECK(check_rules(rules, invariant_scope::trace, trace, related).errors == 1);
}

TEST_CASE("a context without an id is nobody's") {
  const auto rules = rules_of({"plan_context_id_match"});
  related_documents related{rules};
  REQUIRE(related.add(invariant_scope::context, json::object{}));
  const auto plan = find_sample("plan");
  CHECK(check_rules(rules, plan.scope(), plan.document, related).errors == 1);
}

TEST_CASE("an orchestrator is found by capability, then by name, then by ids") {
  const auto rules = rules_of({"map_orchestrator_required"});
  const auto judge = [&](const json::value& collab, const json::array& roles) {
    related_documents related{rules};
    for (const auto& role : roles)
      REQUIRE(related.add(invariant_scope::role, role));
    return check_rules(rules, invariant_scope::collab, collab, related);
  };
  const auto role = [](const char* id, const char* name,
                       json::array capabilities) {
    return json::object{{"role_id", id},
                        {"name", name},
                        {"capabilities", std::move(capabilities)}};
  };
  const auto ann = collab_led_by("ann", "r-1");
  for (const auto* capability : {"collab.orchestrate", "collab.*", "*"})
    CHECK(judge(ann, {role("r-1", "x", {capability})}).errors == 0);
  CHECK(judge(ann, {role("r-0", "r-1", {"*"})}).errors == 0);
  CHECK(judge(ann, {role("r-1", "orchestrator", {})}).errors == 0);
  CHECK(judge(collab_led_by("orchestrator-1", "r-1"), {}).errors == 0);
  CHECK(judge(collab_led_by("ann", "role-orchestrator"), {}).errors == 0);
  CHECK(judge(ann, {role("r-1", "x", {"collab.join"})}).errors == 1);
  // Two with the capability are one too many, whatever others are called.
  auto both = collab_led_by("ann", "r-1");
  both.at("participants").at(1).as_object()["role_id"] = "r-1";
  const auto two = judge(both, {role("r-1", "x", {"*"})});
  REQUIRE(two.errors == 1);
  CHECK(two.broken[0].message.find("has 2") != std::string::npos);
  // By name only where nobody has the capability.
  both.at("participants").at(1).as_object()["role_id"] = "r-2";
  CHECK(judge(both, {role("r-1", "x", {"*"}), role("r-2", "orchestrator", {})})
          .errors
        == 0);
  // Without roles to look at, nobody can say.
  const auto unknown = judge(ann, {});
  CHECK(unknown.errors == 0);
  CHECK(unknown.checked == 0);
  CHECK(unknown.unchecked.size() == 1);
}

TEST_CASE("messages of a dialog lie between its start and its end") {
  const auto rules = rules_of({"dialog_messages_only_while_active"});
  const auto judge = [&](const char* time, bool open) {
    auto dialog = find_sample("dialog").document;
    dialog.at("messages").at(0).as_object()["timestamp"] = time;
    if (open)
      dialog.as_object().erase("ended_at");
    return check_rules(rules, invariant_scope::dialog, dialog,
                       related_documents{rules})
      .errors;
  };
  CHECK(judge("2025-06-01T09:00:00.000Z", false) == 0);
  CHECK(judge("2025-06-01T08:59:59.999Z", false) == 1);
  CHECK(judge("2025-06-01T12:00:00+02:00", false) == 0);
  CHECK(judge("2025-06-01T11:00:00.000Z", false) == 1);
  CHECK(judge("2025-06-01T11:00:00.000Z", true) == 0);
}

TEST_CASE("an event that carries an integration event is checked as both") {
  const auto rules = rules_of({"observability", "integration"});
  auto event = find_sample("event").document;
  event.as_object()["event_family"] = "external_integration";
  event.as_object()["payload"] = find_sample("git_event").document;
  const related_documents none{rules};
  const auto good = check_rules(rules, invariant_scope::event, event, none);
  CHECK(good.errors == 0);
  CHECK(good.checked == 4 + 5);
  event.at("payload").as_object()["event_kind"] = "rebase";
  const auto bad = check_rules(rules, invariant_scope::event, event, none);
  REQUIRE(bad.broken.size() == 1);
  CHECK(bad.broken[0].path == "payload.event_kind");
  CHECK(bad.broken[0].pointer == "/payload/event_kind");
  CHECK(bad.broken[0].value == "\"rebase\"");
}

TEST_CASE("broken rules beyond the bound are counted, not kept") {
  const auto rules = rules_of({"step_ids_must_be_uuid"});
  constexpr std::size_t count = 200'000;
  json::array steps(count, json::value{{"step_id", "x"}});
  const json::value plan{{"steps", std::move(steps)}};
  const auto found = check_rules(rules, invariant_scope::plan, plan,
                                 related_documents{rules});
  CHECK(found.errors == count);
  CHECK(found.broken.size() == broken_rules_kept);
  CHECK(found.broken[19].path == "steps[19].step_id");
}

TEST_CASE("twins are found among many, wherever they are") {
  const auto rules = rules_of({"map_unique_participant_ids"});
  json::array people;
  for (int i = 0; i < 100'000; ++i)
    people.push_back(json::object{{"participant_id", std::to_string(i)}});
  people.push_back(json::object{{"participant_id", "7"}});
  const json::value collab{{"participants", std::move(people)}};
  const auto found = check_rules(rules, invariant_scope::collab, collab,
                                 related_documents{rules});
  REQUIRE(found.errors == 1);
  CHECK(found.broken[0].path == "participants[100000].participant_id");
  CHECK(found.broken[0].message.find("participants[7]") != std::string::npos);
}

TEST_CASE("more documents than can be remembered are refused") {
  const auto rules = rules_of({"plan_context_id_match"});
  related_documents related{rules};
  json::value context{{"context_id", 0}};
  for (std::size_t i = 0; i < related_documents::related_values_max; ++i) {
    context.as_object()["context_id"] = i;
    if (!related.add(invariant_scope::context, context))
      FAIL("refused too early");
  }
  context.as_object()["context_id"] = "one more";
  const auto refused = related.add(invariant_scope::context, context);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "related_values_max");
}

TEST_CASE("a Core's version is that of all documents of its folder") {
  const auto rules = rules_of({"protocol_versions_mixed"});
  const auto core = find_sample("core");
  CHECK(check_alone(rules, core).broken.empty());
  auto related = related_samples(rules);
  REQUIRE(related.add(core.scope(), core.document));
  CHECK(check_rules(rules, core.scope(), core.document, related).errors == 0);
  auto plan = find_sample("plan").document;
  plan.at("meta").as_object()["protocol_version"] = "1.0.7";
  REQUIRE(related.add(invariant_scope::plan, plan));
  const auto mixed = check_rules(rules, core.scope(), core.document, related);
  REQUIRE(mixed.broken.size() == 1);
  CHECK(mixed.broken[0].path == "protocol_version");
  CHECK_THAT(mixed.broken[0].message,
             Catch::Contains("plan") && Catch::Contains("1.0.7"));
  CHECK(mixed.broken[0].value == "\"1.0.0\"");
}

TEST_CASE("where there are Roles, each role_id is the id or name of one") {
  const auto rules = rules_of({"map_role_ids_known", "network_role_ids_known"});
  const auto related = related_samples(rules);
  auto collab = find_sample("collab").document;
  CHECK(check_rules(rules, invariant_scope::collab, collab, related).errors
        == 0);
  auto& participants = collab.at("participants").as_array();
  participants[1].as_object()["role_id"] = "role-codr";
  const auto broken
    = check_rules(rules, invariant_scope::collab, collab, related).broken;
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].pointer == "/participants/1/role_id");
  CHECK_THAT(broken[0].message,
             Catch::Contains("did you mean \"role-coder\"?"));
  // Without Roles any word is one.
  const auto alone = check_alone(rules,
                                 {.schema = "mplp-collab", .document = collab});
  CHECK(alone.errors == 0);
  REQUIRE(alone.unchecked.size() == 1);
  CHECK(alone.unchecked[0]->id == "map_role_ids_known");
}

TEST_CASE("of many unknown roles the nearest is looked up for those told") {
  const auto rules = rules_of({"map_role_ids_known"});
  related_documents related{rules};
  for (int i = 0; i < 2'000; ++i)
    REQUIRE(related.add(invariant_scope::role,
                        json::object{{"role_id", "r" + std::to_string(i)}}));
  json::array participants(100'000,
                           json::value{{"role_id", std::string(50, 'x')}});
  const json::value collab{{"participants", std::move(participants)}};
  CHECK(check_rules(rules, invariant_scope::collab, collab, related).errors
        == 100'000);
}
