#include "bench.hpp"

using namespace convene::tests;

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
