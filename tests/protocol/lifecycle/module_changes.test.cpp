#include "bench.hpp"

using namespace convene::tests;

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

TEST_CASE("a Trace is only appended to") {
  for (const auto status :
       {"pending", "running", "completed", "failed", "cancelled"}) {
    INFO(status);
    bench shorter{module::trace};
    shorter.from(status).after["segments"].as_array().clear();
    CHECK(shorter.told() == refused("frozen"));
  }
  for (const auto end : {"completed", "failed", "cancelled", "skipped"}) {
    INFO(end);
    bench ended{module::trace};
    ended.from("running").parts(0, end, end);
    ended.part(ended.after, 0)["label"] = "other";
    CHECK(ended.told() == refused("frozen"));
    CHECK(ended.parts(0, end, "running").told() == refused("frozen"));
  }
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

TEST_CASE("a Dialog's messages stay as they were written, in their order") {
  const auto said = [](std::string_view content) {
    return json::value{{"role", "user"},
                       {"content", content},
                       {"timestamp", "2026-01-01T00:00:00.000Z"}};
  };
  bench dialog{module::dialog};
  dialog.before["messages"] = json::array{said("a"), said("b")};
  const std::pair<json::array, std::string> others[]{
    {{said("a"), said("c")}, "/messages/1"},
    {{said("b"), said("a")}, "/messages/0"},
    {{said("x"), said("a"), said("b")}, "/messages/0"},
    {{said("a")}, "/messages/1"},
    {json::array{}, "/messages/0"},
  };
  for (const auto& [now, place] : others) {
    INFO(json::value(now));
    dialog.after["messages"] = now;
    const auto made = dialog.made();
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == "message_written_once");
    CHECK(made.error().pointer == place);
  }
  dialog.after["messages"] = json::array{said("a"), said("b"), said("c")};
  CHECK(dialog.told() == types{"dialog_updated"});
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
