#include "bench.hpp"

using namespace convene::tests;

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
