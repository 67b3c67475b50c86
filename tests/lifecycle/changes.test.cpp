#include "documents.hpp"

#include <convene/protocol/lifecycle/transition.hpp>

#include <algorithm>

using namespace convene::tests;

namespace {

using types = std::vector<std::string>;

/// The types of the events of an accepted change; of a refused one, its rule.
types told(const result<lifecycle_events>& made) {
  if (!made)
    return {"refused: " + made.error().rule};
  types all;
  for (const auto& event : *made)
    all.push_back(event.type);
  return all;
}

types refused(std::string rule) {
  return {"refused: " + std::move(rule)};
}

/// A change of one document of a world in which everything else is there.
struct bench {
  explicit bench(module of) : which(of), before(make(of)), after(make(of)) {}

  /// The status before and after.
  bench& from(std::string_view status) {
    before["status"] = status;
    after["status"] = status;
    return *this;
  }
  bench& to(std::string_view status) {
    after["status"] = status;
    return *this;
  }
  /// A member, before and after.
  bench& with(std::string_view member, const json::value& value) {
    before[member] = value;
    after[member] = value;
    return *this;
  }
  bench& with(std::string_view member, const std::string& value) {
    return with(member, json::value(std::string_view{value}));
  }
  json::object& part(json::object& of, std::size_t i) const {
    constexpr std::pair<module, std::string_view> parts[]{
      {module::plan, "steps"},
      {module::trace, "segments"},
      {module::core, "modules"},
      {module::network, "nodes"},
      {module::collab, "participants"}};
    const auto* row = std::ranges::find(
      parts, which, &std::pair<module, std::string_view>::first);
    return of.at(row->second).as_array().at(i).as_object();
  }
  bench& parts(std::size_t i, std::string_view was, std::string_view now) {
    part(before, i)["status"] = was;
    part(after, i)["status"] = now;
    return *this;
  }

  [[nodiscard]] result<lifecycle_events> made() const {
    return check_change(which, &before, after, others.lookup(), policy);
  }
  [[nodiscard]] types told() const {
    return ::told(made());
  }
  [[nodiscard]] types created() const {
    return ::told(check_change(which, nullptr, after, others.lookup(), policy));
  }

  module which;
  json::object before;
  json::object after;
  world others = full_world();
  lifecycle_policy policy = {};
};

bool has_rule(const types& all, std::string_view rule) {
  return all == refused(std::string{rule});
}

} // namespace

TEST_CASE("the documents of these tests are valid, and can be created") {
  for (const auto word : words_of<module>) {
    INFO(word);
    const auto which = *from_word<module>(word);
    CHECK(violations(word, make(which)) == "");
    CHECK(bench{which}.created().back().find("refused") == std::string::npos);
    CHECK(bench{which}.told().empty());
  }
}

TEST_CASE("what is created is told with the nodes that it adds") {
  const bench plan{module::plan};
  const auto made = check_change(module::plan, nullptr, plan.after,
                                 plan.others.lookup());
  REQUIRE(made);
  REQUIRE(made->size() == 1);
  CHECK(made->front().type == "plan_created");
  CHECK(integer_of(made->front().members, "node_delta") == 3);
  CHECK(text_of(made->front().members, "graph_id") == id(0));
  CHECK(bench{module::plan}.to("approved").created() == refused("status_move"));
  CHECK(bench{module::context}.to("active").created()
        == types{"context_created", "context_activated", "context_updated"});
  bench started{module::plan};
  started.parts(0, "pending", "completed");
  CHECK(started.created() == refused("status_move"));
  bench empty{module::plan};
  empty.after["steps"] = json::array{};
  CHECK(empty.created() == refused("has_steps"));
  bench anonymous{module::role};
  anonymous.after.erase("role_id");
  CHECK(anonymous.created() == refused("required"));
}

TEST_CASE("ids never change") {
  for (const auto word : words_of<module>) {
    const auto which = *from_word<module>(word);
    for (const auto& [name, value] : make(which)) {
      if (!name.ends_with("_id"))
        continue;
      INFO(word << ' ' << name);
      bench other{which};
      other.after[name] = id(77);
      const auto made = other.made();
      REQUIRE_FALSE(made);
      CHECK(made.error().rule == "immutable_id");
      CHECK(made.error().pointer == "/" + std::string{name});
      CHECK(made.error().message.find(id(static_cast<int>(which)))
            != std::string::npos);
    }
  }
  bench removed{module::plan};
  removed.after.erase("context_id");
  CHECK(removed.told() == refused("immutable_id"));
  // One that was left out may still be given.
  bench given{module::dialog};
  given.after["thread_id"] = id(50);
  CHECK(given.told() == types{"dialog_updated"});
}

TEST_CASE("a locked object changes only by a new Confirm about it") {
  for (const auto word : words_of<module>) {
    const auto which = *from_word<module>(word);
    if (which == module::plan)
      continue;
    INFO(word);
    bench locked{which};
    locked.with("governance", {{"locked", true}});
    CHECK(locked.told().empty());
    locked.after["extra"] = "changed";
    CHECK(has_rule(locked.told(), "locked"));
    // Unlocking is a change as well.
    locked.after.erase("extra");
    locked.after["governance"] = {{"locked", false}};
    CHECK(has_rule(locked.told(), "locked"));

    auto confirm = make(module::confirm);
    confirm["confirm_id"] = id(60);
    confirm["target_type"] = "other";
    confirm["target_id"] = id(static_cast<int>(which));
    confirm["status"] = "approved";
    const json::value ref{{"id", id(60)}, {"module", "confirm"}};
    locked.after["governance"].as_object()["lastConfirmRef"] = ref;
    CHECK(has_rule(locked.told(), "locked")); // it is not there
    for (const auto status : {"pending", "rejected", "cancelled"}) {
      confirm["status"] = status;
      locked.others.put(module::confirm, confirm);
      CHECK(has_rule(locked.told(), "locked"));
    }
    confirm["status"] = "approved";
    locked.others.put(module::confirm, confirm);
    CHECK(locked.made().has_value());
    auto elsewhere = confirm;
    elsewhere["target_id"] = id(61);
    locked.others.put(module::confirm, elsewhere);
    CHECK(has_rule(locked.told(), "locked"));
    // The Confirm of an earlier change allows no other.
    locked.others.put(module::confirm, confirm);
    locked.before["governance"].as_object()["lastConfirmRef"] = ref;
    CHECK(has_rule(locked.told(), "locked"));
  }
}

TEST_CASE("a Plan is locked with its Context") {
  bench plan{module::plan};
  plan.to("proposed");
  CHECK(plan.told() == types{"plan_status_changed", "plan_updated"});
  plan.others.put(module::context, make(module::context))["governance"]
    = {{"locked", true}};
  CHECK(plan.told() == refused("locked"));
}

TEST_CASE("what an object refers to must be there before it changes") {
  const std::vector<std::pair<module, std::string>> all{
    {module::plan, "context_id"},      {module::trace, "context_id"},
    {module::collab, "context_id"},    {module::dialog, "context_id"},
    {module::extension, "context_id"}, {module::network, "context_id"},
    {module::confirm, "target_id"},    {module::trace, "plan_id"}};
  for (const auto& [which, member] : all) {
    INFO(to_word(which) << ' ' << member);
    bench here{which};
    if (member == "plan_id")
      here.with("plan_id", id(static_cast<int>(module::plan)));
    here.after["extra"] = 1;
    CHECK(here.made().has_value());
    auto gone = here;
    gone.with(member, id(78));
    const auto made = gone.made();
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == "reference_missing");
    CHECK(made.error().pointer == "/" + member);
    CHECK(made.error().message.find(id(78)) != std::string::npos);
    CHECK(has_rule(gone.created(), "reference_missing"));
    // Nothing at all is known.
    CHECK(check_change(which, &here.before, here.after, {}).error().rule
          == "reference_missing");
  }
}

TEST_CASE("a Confirm's target is of the type that it says") {
  bench confirm{module::confirm};
  confirm.after["reason"] = "r";
  CHECK(confirm.told() == types{"confirm_updated"});
  confirm.with("target_type", std::string{"trace"});
  CHECK(confirm.told() == refused("reference_missing"));
  confirm.with("target_type", std::string{"other"});
  CHECK(confirm.told() == types{"confirm_updated"});
}

TEST_CASE("nothing new goes into a closed Context") {
  for (const auto which :
       {module::plan, module::trace, module::collab, module::dialog,
        module::extension, module::network}) {
    INFO(to_word(which));
    bench made{which};
    for (const auto status : {"draft", "active", "suspended", "archived"}) {
      made.others.put(module::context, make(module::context))["status"]
        = status;
      CHECK_FALSE(has_rule(made.created(), "reference_status"));
    }
    made.others.put(module::context, make(module::context))["status"]
      = "closed";
    CHECK(has_rule(made.created(), "reference_status"));
    made.after["extra"] = 1;
    CHECK(made.made().has_value());
  }
}

TEST_CASE("the last Confirm that an object names is a Confirm, and there") {
  bench role{module::role};
  const auto name = [&](std::string_view key, std::string_view of) {
    role.after["governance"]
      = {{"lastConfirmRef", {{"id", key}, {"module", of}}}};
  };
  name(id(static_cast<int>(module::confirm)), "confirm");
  CHECK(role.told().empty());
  name(id(79), "confirm");
  CHECK(role.told() == refused("reference_missing"));
  name(id(static_cast<int>(module::plan)), "plan");
  CHECK(role.told() == refused("reference_missing"));
}

TEST_CASE("Roles are looked up, by id or name, where the policy asks") {
  bench collab{module::collab};
  collab.after["title"] = "other";
  CHECK(collab.told() == types{"collab_updated"});
  collab.policy.roles_resolve = true;
  const auto made = collab.made();
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "reference_missing");
  CHECK(made.error().pointer == "/participants/1/role_id");
  auto lead = make(module::role);
  lead["role_id"] = id(70);
  lead["name"] = "lead";
  collab.others.put(module::role, lead);
  CHECK(collab.told() == types{"collab_updated"});
}

TEST_CASE("a segment's parent is a segment of its Trace") {
  bench trace{module::trace};
  trace.part(trace.after, 0)["parent_segment_id"] = id(80);
  CHECK(trace.told() == refused("reference_missing"));
  trace.after["segments"].as_array().push_back(
    {{"segment_id", id(80)}, {"label", "p"}, {"status", "pending"}});
  CHECK(trace.told() == types{"segment_updated", "segment_added"});
}

TEST_CASE("a Plan moves as its steps, its Confirm and its Context let it") {
  const bench plan{module::plan};
  const types moved{"plan_status_changed", "plan_updated"};
  CHECK(bench{plan}.to("proposed").told() == moved);
  CHECK(bench{plan}.to("cancelled").told() == moved);
  CHECK(bench{plan}.to("in_progress").told() == refused("status_move"));

  auto circle = plan;
  circle.part(circle.before, 0)["dependencies"] = json::array{id(22)};
  circle.part(circle.after, 0)["dependencies"] = json::array{id(22)};
  CHECK(circle.to("proposed").told() == refused("plan_valid"));

  auto proposed = plan;
  proposed.from("proposed").to("approved");
  CHECK(proposed.told() == refused("confirm_approved"));
  proposed.others.put(module::confirm, make(module::confirm))["status"]
    = "approved";
  CHECK(proposed.told() == moved);
  proposed.others.put(module::confirm, make(module::confirm))["status"]
    = "override";
  CHECK(proposed.told() == moved);
  CHECK(bench{plan}.from("proposed").to("draft").told() == moved);

  auto approved = plan;
  approved.from("approved").to("in_progress");
  CHECK(approved.told() == moved);
  approved.others.put(module::context, make(module::context))["status"]
    = "suspended";
  CHECK(approved.told() == refused("context_active"));

  auto running = plan;
  running.from("in_progress").parts(0, "completed", "completed");
  CHECK(bench{running}.to("completed").told() == refused("steps_done"));
  CHECK(bench{running}.to("failed").told() == refused("step_failed"));
  CHECK(bench{running}.to("cancelled").told() == moved);
  CHECK(bench{running}.parts(1, "skipped", "skipped").to("completed").told()
        == moved);
  CHECK(bench{running}.parts(1, "failed", "failed").to("failed").told()
        == moved);
  CHECK(bench{running}.parts(1, "blocked", "blocked").to("failed").told()
        == moved);
}

TEST_CASE("a step starts when all that it waits for is completed") {
  bench plan{module::plan};
  plan.from("in_progress");
  const auto second = [&](std::string_view first, std::string_view was,
                          std::string_view now) {
    return bench{plan}.parts(0, first, first).parts(1, was, now).told();
  };
  const types started{"step_started", "step_updated"};
  const types changed{"step_status_changed", "step_updated"};
  CHECK(second("completed", "pending", "in_progress") == started);
  for (const auto first :
       {"pending", "in_progress", "blocked", "skipped", "failed"})
    CHECK(second(first, "pending", "in_progress")
          == refused("dependencies_done"));
  for (const auto first : {"failed", "blocked"}) {
    CHECK(second(first, "pending", "blocked") == changed);
    CHECK(second(first, "blocked", "pending")
          == refused("dependencies_recovered"));
  }
  for (const auto first : {"pending", "in_progress", "completed", "skipped"}) {
    CHECK(second(first, "pending", "blocked") == refused("dependency_failed"));
    CHECK(second(first, "blocked", "pending") == changed);
  }
  CHECK(second("pending", "pending", "skipped") == changed);
  CHECK(second("completed", "in_progress", "completed")
        == types{"step_completed", "step_updated"});
  CHECK(second("completed", "in_progress", "failed")
        == types{"step_failed", "step_updated"});
  CHECK(second("completed", "completed", "failed") == refused("status_final"));

  auto waiting = plan;
  waiting.from("draft").parts(0, "pending", "in_progress");
  CHECK(waiting.told() == refused("plan_in_progress"));
  auto suspended = plan;
  suspended.parts(0, "pending", "in_progress");
  CHECK(suspended.told() == started);
  suspended.others.put(module::context, make(module::context))["status"]
    = "suspended";
  CHECK(suspended.told() == refused("context_active"));
}

TEST_CASE("what begins is told before its parts, and what ends after them") {
  bench starts{module::plan};
  starts.from("approved").to("in_progress").parts(0, "pending", "in_progress");
  CHECK(starts.told()
        == types{"plan_status_changed", "plan_updated", "step_started",
                 "step_updated"});
  bench ends{module::plan};
  ends.from("in_progress").to("completed");
  ends.parts(0, "completed", "completed").parts(1, "in_progress", "completed");
  const auto made = ends.made();
  CHECK(told(made)
        == types{"step_completed", "step_updated", "plan_status_changed",
                 "plan_updated"});
  const auto& stage = made->front();
  CHECK(text_of(stage.members, "pipeline_id")
        == id(static_cast<int>(module::plan)));
  CHECK(text_of(stage.members, "stage_id") == id(22));
  CHECK(text_of(made->at(1).members, "graph_id") == id(0));
}

TEST_CASE("the steps of a Plan are open in some of its statuses only") {
  const bench plan{module::plan};
  for (const std::string status :
       {"draft", "proposed", "approved", "in_progress", "completed",
        "cancelled", "failed"}) {
    INFO(status);
    const bool grows = status == "draft" || status == "in_progress";
    bench added{plan};
    added.from(status);
    added.after["steps"].as_array().push_back(
      {{"step_id", id(23)}, {"description", "c"}, {"status", "pending"}});
    CHECK(added.told() == (grows ? types{"step_added"} : refused("frozen")));
    bench removed{plan};
    removed.from(status);
    removed.after["steps"].as_array().pop_back();
    CHECK(removed.told()
          == (status == "draft" ? types{"step_removed"} : refused("frozen")));
    bench edited{plan};
    edited.from(status);
    edited.part(edited.after, 0)["description"] = "other";
    CHECK(edited.told()
          == (status == "draft" ? types{"step_updated"} : refused("frozen")));
    bench skipped{plan};
    skipped.from(status).parts(0, "pending", "skipped");
    CHECK(skipped.told()
          == (grows ? types{"step_status_changed", "step_updated"}
                    : refused("frozen")));
  }
  bench twice{plan};
  twice.part(twice.after, 1)["step_id"] = id(21);
  CHECK(twice.told() == refused("unique_part_id"));
}

TEST_CASE("a Collab starts with a complete roster in an active Context") {
  const bench collab{module::collab};
  const types started{"session_started", "collab_updated"};
  const auto start = [&](auto change) {
    bench one{collab};
    change(one);
    return one.to("active").told();
  };
  CHECK(start([](bench&) {}) == started);
  CHECK(start([](bench& one) {
          one.others.put(module::context, make(module::context));
        })
        == refused("context_active"));
  CHECK(start([](bench& one) { one.part(one.after, 0).erase("role_id"); })
        == refused("session_complete"));
  CHECK(start([](bench& one) { one.part(one.after, 0)["role_id"] = ""; })
        == refused("session_complete"));
  CHECK(
    start([](bench& one) { one.part(one.after, 1)["participant_id"] = "a"; })
    == refused("session_complete"));
  CHECK(start([](bench& one) { one.after["participants"] = json::array{}; })
        == refused("session_complete"));
  CHECK(start([](bench& one) { one.after["mode"] = "pair"; }) == started);
  CHECK(start([](bench& one) {
          one.after["mode"] = "pair";
          one.part(one.after, 0)["kind"] = "system";
        })
        == refused("session_complete"));
  const auto led = [&](auto change) {
    return start([&](bench& one) {
      one.after["mode"] = "orchestrated";
      change(one);
    });
  };
  CHECK(led([](bench&) {}) == refused("session_complete"));
  CHECK(led([](bench& one) {
          one.part(one.after, 0)["participant_id"] = "orchestrator-1";
        })
        == started);
  for (const auto capability : {"collab.orchestrate", "collab.*", "*"})
    CHECK(led([&](bench& one) {
            one.others.put(module::role, make(module::role))["capabilities"]
              = json::array{capability};
          })
          == started);

  bench paused{collab};
  paused.from("suspended").to("active");
  CHECK(paused.told() == types{"collab_status_changed", "collab_updated"});
  paused.others.put(module::context, make(module::context))["status"]
    = "suspended";
  CHECK(paused.told() == refused("context_active"));
  CHECK(bench{collab}.from("suspended").to("cancelled").told()
        == types{"session_cancelled", "collab_updated"});
}

TEST_CASE("roster and mode of a Collab change in draft only") {
  for (const auto status :
       {"draft", "active", "suspended", "completed", "cancelled"}) {
    INFO(status);
    const auto want = std::string_view{status} == "draft"
                        ? types{"collab_updated"}
                        : refused("frozen");
    bench mode{module::collab};
    mode.from(status).after["mode"] = "swarm";
    CHECK(mode.told() == want);
    bench roster{module::collab};
    roster.from(status).after["participants"].as_array().pop_back();
    CHECK(roster.told() == want);
  }
}

TEST_CASE("what is over stays as it is") {
  for (const auto status :
       {"draft", "active", "suspended", "archived", "closed"}) {
    INFO(status);
    const bool open = std::string_view{status} != "archived"
                      && std::string_view{status} != "closed";
    bench context{module::context};
    context.from(status).after["title"] = "other";
    CHECK(context.told()
          == (open ? types{"context_updated"} : refused("frozen")));
  }
  for (const auto status :
       {"pending", "running", "completed", "failed", "cancelled"}) {
    INFO(status);
    const bool open = std::string_view{status} == "pending"
                      || std::string_view{status} == "running";
    bench trace{module::trace};
    trace.from(status).after["finished_at"] = "2026-01-01T00:00:00.000Z";
    CHECK(trace.told() == (open ? types{"trace_updated"} : refused("frozen")));
    bench longer{module::trace};
    longer.from(status).after["segments"].as_array().push_back(
      {{"segment_id", id(33)}, {"label", "b"}, {"status", "pending"}});
    CHECK(longer.told() == (open ? types{"segment_added"} : refused("frozen")));
    bench moved{module::trace};
    moved.from(status).parts(0, "pending", "running");
    CHECK(moved.told()
          == (open ? types{"segment_updated"} : refused("frozen")));
    bench noted{module::trace};
    noted.from(status).after["meta"].as_object()["updated_by"] = "x";
    CHECK(noted.told().empty());
  }
  bench segment{module::trace};
  segment.from("running").parts(0, "completed", "completed");
  segment.part(segment.after, 0)["label"] = "other";
  CHECK(segment.told() == refused("frozen"));
}

TEST_CASE("a Trace is completed when its segments are") {
  bench trace{module::trace};
  trace.from("running").to("completed");
  for (const auto status : {"pending", "running"}) {
    trace.parts(0, status, status);
    CHECK(trace.told() == refused("segments_done"));
  }
  for (const auto status : {"completed", "failed", "cancelled", "skipped"}) {
    trace.parts(0, status, status);
    CHECK(trace.told() == types{"trace_updated"});
  }
}

TEST_CASE("a Dialog takes messages only while it is active") {
  for (const auto status : {"active", "paused", "completed", "cancelled"}) {
    INFO(status);
    bench dialog{module::dialog};
    dialog.from(status).after["messages"].as_array().push_back(
      {{"role", "user"},
       {"content", "x"},
       {"timestamp", "2026-01-01T00:00:00.000Z"}});
    CHECK(dialog.told()
          == (std::string_view{status} == "active" ? types{"dialog_updated"}
                                                   : refused("frozen")));
  }
}

TEST_CASE("an Extension that acts is activated after a Confirm about it") {
  const types active{"extension_activated", "extension_updated"};
  for (const std::string type : {"capability", "policy", "integration",
                                 "transformation", "validation", "other"}) {
    INFO(type);
    bench extension{module::extension};
    extension.with("extension_type", type).to("active");
    const bool asks = type == "capability" || type == "integration";
    CHECK(extension.told() == (asks ? refused("confirm_approved") : active));
    auto confirm = make(module::confirm);
    confirm["target_type"] = "extension";
    confirm["target_id"] = extension.after.at("extension_id");
    confirm["status"] = "approved";
    extension.others.put(module::confirm, confirm);
    CHECK(extension.told() == active);
  }
  bench back{module::extension};
  back.from("inactive").to("active");
  CHECK(back.told() == refused("status_final"));
  back.policy.extensions_return = true;
  CHECK(back.told() == active);
}

TEST_CASE("a Core keeps its required modules, and changes while it is open") {
  const bench core{module::core};
  CHECK(bench{core}.to("active").told()
        == types{"protocol_initialized", "core_updated"});
  CHECK(bench{core}.parts(0, "enabled", "disabled").told()
        == refused("module_optional"));
  CHECK(bench{core}.parts(1, "enabled", "disabled").told()
        == types{"module_disabled", "core_module_updated"});
  CHECK(bench{core}.parts(1, "disabled", "enabled").told()
        == types{"module_enabled", "core_module_updated"});
  for (const auto status : {"deprecated", "archived"}) {
    CHECK(bench{core}.from(status).parts(1, "enabled", "disabled").told()
          == refused("frozen"));
    bench added{core};
    added.from(status).after["modules"].as_array().push_back(
      {{"module_id", "trace"}, {"version", "1"}, {"status", "enabled"}});
    CHECK(added.told() == refused("frozen"));
  }
}

TEST_CASE("a Network recovers when its nodes have") {
  bench network{module::network};
  network.from("degraded").to("active");
  for (const auto status : {"inactive", "degraded", "unreachable"}) {
    network.parts(0, status, status);
    CHECK(network.told() == refused("nodes_active"));
  }
  for (const auto status : {"active", "retired"}) {
    network.parts(0, status, status);
    CHECK(network.told() == types{"network_updated"});
  }
  bench node{module::network};
  node.from("active").parts(0, "active", "unreachable");
  CHECK(node.told() == types{"node_status_changed", "node_updated"});
  node.parts(0, "retired", "active");
  CHECK(node.told() == refused("status_final"));
  node.from("retired").parts(0, "active", "inactive");
  CHECK(node.told() == refused("frozen"));
}

TEST_CASE("a Role gains and loses capabilities by name") {
  bench role{module::role};
  role.after["capabilities"] = json::array{"plan.write"};
  const auto made = role.made();
  CHECK(told(made) == types{"capability_granted", "capability_revoked"});
  CHECK(text_of(made->front().payload, "capability") == "plan.write");
  role.after["name"] = "writer";
  CHECK(role.told().front() == "role_updated");
}

TEST_CASE("every event of every change of a document is valid") {
  bench plan{module::plan};
  plan.from("in_progress").to("failed").parts(0, "in_progress", "failed");
  plan.parts(1, "pending", "blocked");
  bench role{module::role};
  role.after["capabilities"] = json::array{"plan.write"};
  bench network{module::network};
  network.parts(0, "active", "degraded");
  network.after["nodes"].as_array().push_back(
    {{"node_id", id(92)}, {"kind", "agent"}, {"status", "inactive"}});
  bench core{module::core};
  core.parts(1, "enabled", "disabled").to("active");
  bench trace{module::trace};
  trace.parts(0, "pending", "running").to("running");
  bench confirm{module::confirm};
  confirm.after["decisions"]
    = json::array{{{"decision_id", id(41)},
                   {"status", "approved"},
                   {"decided_by_role", "lead"},
                   {"decided_at", "2026-01-01T00:00:00.000Z"}}};
  confirm.to("approved");
  for (const auto& one : {plan, role, network, core, trace, confirm}) {
    const auto made = one.made();
    INFO(to_word(one.which));
    REQUIRE(made);
    CHECK(made->size() >= 2);
    for (const auto& event : *made) {
      auto schema = std::string{event.family} + "-event";
      std::ranges::replace(schema, '_', '-');
      const auto whole = core_event(event, {1, 2}, 0);
      INFO(json::serialize(whole));
      auto named = whole;
      named["event_id"] = id(99);
      CHECK(violations(schema, named).empty());
    }
  }
}
