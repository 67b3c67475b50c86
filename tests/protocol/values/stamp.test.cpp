#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/map_payloads.hpp>
#include <convene/protocol/events/stamp.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <protocol/values/types.hpp>

using namespace convene::protocol;

namespace {

const origin now{.id = derive_uuid({}, 0, 1),
                 .at = 1'769'860'800'000,
                 .by = "tests"};
const std::string own_id = to_string(now.id);
const std::string other_id = to_string(derive_uuid({}, 0, 2));

/// What `stamp` made of a value, valid by its schema.
template <class T>
T built(std::string_view schema, T what) {
  auto made = stamp(std::move(what), now);
  const auto document = encode(made);
  const auto outcome = validate(embedded_schema(schema).value(), document);
  INFO(json::serialize(document));
  INFO((outcome.valid ? "" : outcome.violations.front().text));
  CHECK(outcome.valid);
  CHECK(decode<T>(document) == made);
  CHECK(stamp(made, {.id = derive_uuid({}, 0, 9), .at = 0}) == made);
  return made;
}

} // namespace

TEST_CASE("a few words and a stamp make a valid document of each module") {
  const auto scope = built("mplp-context", context{.title = "a scope"});
  CHECK(scope.context_id == own_id);
  CHECK(scope.created_at == "2026-01-31T12:00:00.000Z");
  CHECK(scope.meta.created_at == scope.created_at);
  CHECK(scope.meta.created_by == "tests");

  const auto work = built("mplp-plan",
                          plan{.context_id = other_id,
                               .title = "a plan",
                               .objective = "to be done",
                               .steps = {{.description = "first"},
                                         {.description = "second"}}});
  CHECK(check_plan(work));
  CHECK(work.steps[1].order_index == 1);

  const auto asked = built("mplp-confirm",
                           confirm{.target_type = confirm_target::plan,
                                   .target_id = other_id,
                                   .requested_by_role = "lead"});
  CHECK(asked.requested_at == scope.created_at);
  CHECK(asked.decisions->empty());

  const auto record = built("mplp-trace", trace{.context_id = other_id});
  CHECK(record.root_span.trace_id == record.trace_id);
  CHECK(record.root_span.span_id != record.trace_id);
  CHECK(record.segments->empty());

  CHECK(built("mplp-role", role{.name = "lead"}).capabilities->empty());
  built("mplp-dialog",
        dialog{.context_id = other_id, .messages = {{.content = "hello"}}});
  built("mplp-collab", collab{.context_id = other_id,
                              .title = "a session",
                              .purpose = "to talk",
                              .participants = {{.participant_id = "one"}}});
  built("mplp-extension", extension{.context_id = other_id, .name = "linter"});
  const auto all = built("mplp-core",
                         core{.modules = {{.module_id = module::plan}}});
  CHECK(check_core(all));
  const auto nodes = built("mplp-network",
                           network{.context_id = other_id,
                                   .name = "lab",
                                   .nodes = {{{.name = "a"}, {.name = "b"}}}});
  CHECK(check_network(nodes));
}

TEST_CASE("a few words and a stamp make a valid event of each kind") {
  for (std::size_t i = 0; i < words_of<event_family>.size(); ++i)
    built("mplp-event-core",
          core_event{.event_type = "something_happened",
                     .event_family = static_cast<event_family>(i)});
  const auto stage = built("mplp-pipeline-stage-event",
                           pipeline_stage_event{.event_type = "step_started",
                                                .pipeline_id = other_id,
                                                .stage_id = "plan"});
  CHECK(stage.event_id == own_id);
  CHECK(stage.timestamp == "2026-01-31T12:00:00.000Z");
  built("mplp-graph-update-event",
        graph_update_event{
          .event_type = "role_created", .graph_id = other_id, .node_delta = 1});
  built("mplp-runtime-execution-event",
        runtime_execution_event{.event_type = "llm_call_started",
                                .execution_id = other_id,
                                .executor_kind = executor_kind::llm});
  for (std::size_t i = 0; i < words_of<sa_event_type>.size(); ++i)
    built("mplp-sa-event", sa_event{.event_type = static_cast<sa_event_type>(i),
                                    .sa_id = other_id});
  for (std::size_t i = 0; i < words_of<map_event_type>.size(); ++i)
    if (const auto type = static_cast<map_event_type>(i);
        type != map_event_type::handoff_initiated) // native form only
      built("mplp-map-event",
            map_event{.event_type = type, .session_id = other_id});
  built("events", base_event{.event_type = "plan.created", .source = "plan"});
  built("mplp-file-update-event", file_update_event{.file_path = "a.txt"});
  built("mplp-git-event", git_event{.repo_url = "https://example.org/r",
                                    .commit_id = "abc",
                                    .ref_name = "main"});
  built("mplp-ci-event",
        ci_event{.ci_provider = "ci", .pipeline_id = "p", .run_id = "7"});
  const auto call = built("mplp-tool-event", tool_event{.tool_id = "fmt"});
  CHECK(call.invocation_id == own_id);
}

TEST_CASE("a few words and a stamp make a valid sample of each kind") {
  built("mplp-learning-sample-core",
        learning_sample{.sample_family = "pipeline_outcome"});
  built("mplp-learning-sample-intent",
        intent_sample{.input = {.intent_id = "i",
                                .raw_request_summary = "make it so"},
                      .output = {.final_intent_summary = "so"}});
  built("mplp-learning-sample-delta",
        delta_sample{.input = {.delta_id = "d",
                               .intent_id = "i",
                               .change_summary = "more"},
                     .output = {.actual_impact_summary = "none"}});
  const auto whole = built(
    "learning-sample",
    run_sample{.project_id = "p",
               .token_usage = token_usage{.total_tokens = json_number{1.5}},
               .impact_score = json_number{1}});
  CHECK(whole.timestamps.started_at == "2026-01-31T12:00:00.000Z");
}

TEST_CASE("what a value has already, a stamp leaves alone") {
  const auto kept = stamp(plan{.meta = {.created_at = "2020-01-01T00:00:00Z"},
                               .plan_id = other_id,
                               .steps = {{.step_id = "s", .order_index = 7}}},
                          now);
  CHECK(kept.meta.created_at == "2020-01-01T00:00:00Z");
  CHECK(kept.plan_id == other_id);
  CHECK(kept.steps[0].step_id == "s");
  CHECK(kept.steps[0].order_index == 7);
}
