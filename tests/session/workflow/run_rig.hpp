#pragma once

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/session/workflow/run_machine.hpp>
#include <convene/session/workflow/snapshot.hpp>
#include <protocol/workflow/samples.hpp>
#include <support/texts.hpp>

#include <algorithm>
#include <set>

namespace convene::test {

using namespace convene::session;
using protocol::run_event;
using protocol::timestamp_ms;
using workflow_ptr = std::shared_ptr<const protocol::workflow>;

inline constexpr timestamp_ms run_start = 1'700'000'000'000;

inline workflow_ptr made_workflow(const json::value& definition) {
  auto made = protocol::read_workflow(definition);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  return std::make_shared<const protocol::workflow>(*std::move(made));
}

/// One of examples/workflows.
inline workflow_ptr example(const std::string& id) {
  return made_workflow(
    read_json_file(CONVENE_SOURCE_DIR "/examples/workflows/" + id + ".json"));
}

inline workflow_ptr one_node(const std::string& type, json::object config = {},
                             json::object settings = {}) {
  auto definition = workflow_of({node_of("n", type, std::move(config))});
  definition["settings"] = std::move(settings);
  return made_workflow(definition);
}

inline bool is_valid(const std::string& schema, const json::value& document) {
  const auto known = protocol::embedded_schema(schema);
  REQUIRE(known);
  return protocol::validate(*known, document).valid;
}

inline std::vector<conversation_state> talks_of(const run_machine& of) {
  std::vector<conversation_state> all;
  for (const auto& each : of.conversations().all())
    all.push_back(each.state());
  return all;
}

/// What a log on disk gives: each event through its text.
inline protocol::result<run_machine>
folded_run(const std::string& run_id, const workflow_ptr& workflow,
           const std::vector<run_event>& log, run_options options = {}) {
  run_machine made{run_id, workflow, options};
  for (const auto& event : log) {
    const auto text
      = protocol::parse_json(json::serialize(protocol::encode(event)));
    REQUIRE(text);
    const auto read = protocol::decode<run_event>(*text);
    REQUIRE(read);
    if (auto done = made.fold(*read); !done)
      return protocol::fail(done.error());
  }
  return made;
}

/// The laws of a run's log: numbers without gaps, ids of their own, causes that
/// came before, and one end, which is last.
inline void check_run_laws(const std::vector<run_event>& log) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto& event = log[i];
    const auto written = protocol::encode(event);
    INFO(json::serialize(written));
    CHECK(event.sequence == static_cast<std::int64_t>(i));
    CHECK(is_valid("run-event", written));
    if (event.type.starts_with("conversation."))
      CHECK(is_valid("conversation-event", event.payload.held));
    // Without what the engine adds, it is the request of the published schema.
    if (event.type == "interrupt.requested") {
      auto request = event.payload.held;
      for (const auto* const added :
           {"runId", "nodeId", "interruptId", "requestedAt"})
        CHECK(request.as_object().erase(added) == 1);
      CHECK(is_valid("suspend-request", request));
    }
    CHECK((i == 0) == !event.causation_id.has_value());
    if (event.causation_id)
      CHECK(ids.contains(*event.causation_id));
    CHECK(ids.insert(event.event_id).second);
    CHECK((i == 0 || log[i - 1].timestamp <= event.timestamp));
    CHECK((i == 0) == (event.type == "run.started"));
    const bool is_last = event.type == "run.completed"
                         || event.type == "run.failed"
                         || event.type == "run.cancelled";
    if (is_last)
      CHECK(i + 1 == log.size());
  }
}

/// A run and its log, with a clock that tests set.
class run_rig {
public:
  explicit run_rig(workflow_ptr of, run_options options = {},
                   std::string run_id = "r")
    : workflow{std::move(of)}, options_{options}, machine{std::move(run_id),
                                                          workflow, options} {}

  workflow_ptr workflow;

private:
  run_options options_;

public:
  run_machine machine;
  std::vector<run_event> log;
  std::vector<run_action> actions;
  timestamp_ms now = run_start;

  run_effects feed(const run_input& input) {
    return keep(machine.feed(input, now));
  }
  run_effects start(json::object inputs = {}, json::object configurable = {}) {
    return feed(start_run{.inputs = std::move(inputs),
                          .configurable = std::move(configurable)});
  }
  run_effects tick(timestamp_ms later = 0) {
    now += later;
    return feed(check_timers{});
  }
  run_effects resolve(const std::string& node, json::value value) {
    return feed(resolve_interrupt{node, std::move(value), "ann"});
  }

  /// Goes on as a host does that was killed and started again.
  void restart() {
    auto again = folded_run(machine.run_id(), workflow, log, options_);
    INFO((again ? "" : to_string(again.error())));
    REQUIRE(again);
    machine = *std::move(again);
  }

  [[nodiscard]] std::string status() const {
    return std::string{protocol::to_word(machine.status())};
  }
  [[nodiscard]] json::object snapshot() const {
    return snapshot_of(machine);
  }
  [[nodiscard]] const run_node& node(const std::string& id) const {
    return machine.state().nodes[*workflow->find(id)];
  }
  /// Each event's type, with its node.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const auto& each : log)
      all.push_back(each.type + (each.node_id ? " " + *each.node_id : ""));
    return all;
  }
  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> all;
    for (const auto& each : log)
      all.push_back(each.type);
    return all;
  }
  [[nodiscard]] const run_event& first(std::string_view type) const {
    for (const auto& each : log)
      if (each.type == type)
        return each;
    FAIL("no event of type " << type);
    return log.front();
  }
  [[nodiscard]] std::string error_code() const {
    return machine.state().error ? machine.state().error->code : "";
  }

  /// The events of an input: they give the state that it left.
  run_effects keep(run_effects made) {
    if (made.refusal
        && made.refusal->code == protocol::run_refusal_code::internal_error)
      FAIL(to_string(made.refusal->what));
    log.insert(log.end(), made.events.begin(), made.events.end());
    actions.insert(actions.end(), made.actions.begin(), made.actions.end());
    check_run_laws(log);
    const auto again = folded_run(machine.run_id(), workflow, log, options_);
    INFO((again ? "" : to_string(again.error())));
    REQUIRE(again);
    CHECK(again->state() == machine.state());
    CHECK(talks_of(*again) == talks_of(machine));
    CHECK(again->check_whole());
    return made;
  }
};

/// Whether the first of these texts are those.
inline bool begins_with(const std::vector<std::string>& whole,
                        const std::vector<std::string>& first) {
  return whole.size() >= first.size()
         && std::equal(first.begin(), first.end(), whole.begin());
}

inline std::string refusal_of(const run_effects& effects) {
  return effects.refusal ? std::string{to_word(effects.refusal->code)} + ": "
                             + effects.refusal->what.rule
                         : "";
}

} // namespace convene::test
