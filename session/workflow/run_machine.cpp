#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/workflow/recorder.hpp>
#include <convene/session/workflow/start_size.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using enum run_refusal_code;
using event = workflow_event_type;

run_refusal refused_start(std::string rule, std::string message,
                          std::string pointer) {
  return {validation_error,
          {.code = errc::invalid_document,
           .message = std::move(message),
           .pointer = std::move(pointer),
           .rule = std::move(rule)}};
}

std::optional<run_refusal> check_variables(const workflow_definition& of,
                                           const json::object& inputs) {
  for (const auto& each : of.variables) {
    const auto* const given = inputs.if_contains(each.name);
    if (given == nullptr && each.required.value_or(false)
        && !each.default_value)
      return refused_start("required",
                           "the workflow needs the input " + shorten(each.name),
                           "/inputs");
    if (given != nullptr && !fits_variable(each.type, *given)) {
      std::string pointer = "/inputs";
      append_to_pointer(pointer, each.name);
      return refused_start("variable_type",
                           "the input is no " + shorten(each.type),
                           std::move(pointer));
    }
  }
  return std::nullopt;
}

std::string status_words(run_status status) {
  return "the run is " + std::string{to_word(status)};
}

} // namespace

run_machine::run_machine(std::string run_id,
                         std::shared_ptr<const protocol::workflow> of,
                         run_options options)
  : run_id_{std::move(run_id)}, workflow_{std::move(of)}, options_{options},
    conversations_{run_id_} {
  state_.nodes.resize(workflow_->nodes.size());
}

run_effects run_machine::feed(const run_input& input, timestamp_ms now) {
  run_effects made;
  recorder to{*this, made, std::clamp(now, state_.latest_time, timestamp_max)};
  if (is_broken_) {
    to.refuse(internal_error, "run_broken",
              "an event of the run could not be recorded: it is to be folded "
              "from its log",
              {}, errc::internal);
    return made;
  }
  // Whatever arrives, what is due by then happens first.
  settle(to);
  if (!to.has_failed())
    std::visit([&](const auto& known) { take(to, known); }, input);
  settle(to);
  return made;
}

run_effects run_machine::replay(const run_input& input, timestamp_ms at) {
  is_replaying_ = true;
  auto made = feed(input, at);
  is_replaying_ = false;
  return made;
}

run_effects run_machine::end_failed(run_failure why, timestamp_ms at) {
  run_effects made;
  recorder to{*this, made, std::clamp(at, state_.latest_time, timestamp_max)};
  if (is_live())
    fail_run(to, std::move(why), {});
  return made;
}

result<void> run_machine::check_whole() const {
  for (std::size_t i = 0; i < state_.nodes.size() && !state_.end; ++i) {
    const auto status = state_.nodes[i].status;
    const auto* const talk = talk_of(i);
    if (status == run_node_status::cancelled
        || (status == run_node_status::suspended && talk != nullptr
            && talk->state().status == conversation_status::cancelled))
      return fail(errc::invalid_document,
                  "the log ends in the middle of the run's end", "run_torn");
    if (const auto& child = state_.nodes[i].child;
        child && state_.children[*child].has_given
        && !state_.children[*child].end)
      return fail(errc::invalid_document,
                  "the log ends in the middle of a child run's end",
                  "child_torn");
  }
  return conversations_.check_whole();
}

bool run_machine::is_live() const noexcept {
  return state_.started && !state_.end;
}

bool run_machine::is_replay() const noexcept {
  return state_.started && state_.started->forked_from
         && state_.started->forked_from->mode == fork_mode::replay;
}

const std::string& run_machine::ids_of() const noexcept {
  return is_replay() ? state_.started->forked_from->ids_of : run_id_;
}

std::string run_machine::session_id_of(std::size_t node,
                                       std::int64_t attempt) const {
  return to_string(hashed_uuid("session:" + ids_of() + ":"
                               + workflow_->id_of(node) + ":"
                               + std::to_string(attempt)));
}

void run_machine::take(recorder& to, const start_run& input) {
  if (state_.started)
    return to.refuse(conflict, "run_started", "the run was started before", {},
                     errc::not_allowed);
  if (const auto can = conversation_id(run_id_, "node", 0); !can)
    return to.refuse(internal_error, "run_id", can.error().message, {},
                     errc::internal);
  if (const auto lacks = find_missing_capability(*workflow_,
                                                 options_.has_conversations))
    return to.refuse(validation_error, "capability_required",
                     "the workflow needs " + lacks->capability + " for "
                       + lacks->type_id,
                     lacks->pointer, errc::unsupported);
  if (auto wrong = check_start_size(input))
    return to.refuse(*std::move(wrong));
  if (auto fits = check_configurable(*workflow_, input.configurable); !fits) {
    auto wrong = std::move(fits).error();
    wrong.pointer.insert(0, "/configurable");
    return to.refuse({validation_error, std::move(wrong)});
  }
  if (auto wrong = check_variables(workflow_->definition, input.inputs))
    return to.refuse(*std::move(wrong));
  std::optional<bool> asks_in_conversations;
  if (std::ranges::any_of(workflow_->nodes, [](const auto& each) {
        return each.kind == node_type::dispatch;
      }))
    asks_in_conversations
      = input.conversation_primitive.value_or(options_.has_conversations);
  to.record(event::run_started,
            run_started{.workflow_id = workflow_->definition.id,
                        .workflow_version = workflow_->definition.version,
                        .workflow_digest = workflow_->digest,
                        .inputs = input.inputs,
                        .configurable = input.configurable,
                        .tags = input.tags,
                        .metadata = input.metadata,
                        .transport = input.transport,
                        .callback_digest = input.callback_digest,
                        .conversation_primitive = asks_in_conversations,
                        .parent = input.parent,
                        .forked_from = input.forked_from});
}

void run_machine::take(recorder& to, const cancel_run& input) {
  if (!state_.started)
    return to.refuse(conflict, "run_status", "the run was not started", {},
                     errc::not_allowed);
  if (state_.end)
    return; // its status says how it ended
  stop_all(to, input.reason);
  to.record(event::run_cancelled,
            run_cancelled{.reason = reason_of(input.reason),
                          .cancelled_by = input.cancelled_by
                                            ? reason_of(*input.cancelled_by)
                                            : std::nullopt,
                          .duration_ms = to.time() - state_.started_at});
}

void run_machine::take(recorder& to, const pause_run& input) {
  if (!is_live() || state_.is_paused)
    return to.refuse(conflict, "run_status", status_words(status()), {},
                     errc::not_allowed);
  to.record(event::run_paused, run_paused{.reason = reason_of(input.reason),
                                          .policy = input.policy});
}

void run_machine::take(recorder& to, const resume_run& input) {
  if (!is_live() || !state_.is_paused)
    return to.refuse(conflict, "run_status", status_words(status()), {},
                     errc::not_allowed);
  to.record(event::run_resumed, run_paused{.reason = reason_of(input.reason)});
}

void run_machine::take(recorder&, const check_timers&) {
  // feed has done it.
}

void run_machine::take(recorder& to, const session_ended& input) {
  const auto place = workflow_->find(input.node_id);
  const auto* const node = place ? &state_.nodes[*place] : nullptr;
  if (node == nullptr || node->status != run_node_status::running
      || node->session_id != input.session_id)
    return to.refuse(conflict, "session_unknown",
                     "no node waits for this session", {}, errc::not_allowed);
  if (is_replay() && !is_replaying_)
    return to.refuse(conflict, "replay_asks_nobody",
                     "a replay takes only what its source recorded", {},
                     errc::not_allowed);
  const auto message = reason_of(input.message).value_or("the session ended");
  if (input.outcome == session_outcome::failed)
    return fail_node(to, *place, "session_failed", message);
  if (input.outcome == session_outcome::cancelled)
    return fail_node(to, *place, "session_cancelled", message);
  outputs made{{"sessionId", input.session_id}, {"result", input.result}};
  if (const auto fits = check_outputs(made); !fits)
    return fail_node(to, *place, "session_failed",
                     "what it results in: " + fits.error().message);
  complete(to, *place, std::move(made));
}

run_status run_machine::status() const noexcept {
  if (!state_.started)
    return run_status::pending;
  if (state_.end)
    return *state_.end;
  if (state_.is_paused)
    return run_status::paused;
  const auto waits = current_node();
  if (!waits)
    return run_status::running;
  const auto kind = state_.nodes[*waits].interrupt->kind;
  if (kind == interrupt_kind::external_event)
    return run_status::waiting_external;
  return kind == interrupt_kind::approval
             || kind == interrupt_kind::low_confidence || is_conversation(kind)
           ? run_status::waiting_approval
           : run_status::waiting_input;
}

std::optional<std::size_t> run_machine::current_node() const noexcept {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
    const auto& each = state_.nodes[i];
    if (each.status == run_node_status::suspended
        && (!first
            || each.interrupt->sequence
                 < state_.nodes[*first].interrupt->sequence))
      first = i;
  }
  return first;
}

const node_interrupt*
run_machine::find_open(std::string_view node_id,
                       std::string_view interrupt_id) const {
  const auto place = workflow_->find(node_id);
  if (!place || state_.nodes[*place].status != run_node_status::suspended)
    return nullptr;
  const auto& waits = state_.nodes[*place].interrupt;
  return waits->id == interrupt_id && !waits->answer ? &*waits : nullptr;
}

std::optional<timestamp_ms> run_machine::next_deadline() const {
  if (!is_live())
    return std::nullopt;
  auto first = conversations_.next_deadline();
  const auto add = [&first](std::optional<timestamp_ms> other) {
    if (other && (!first || *other < *first))
      first = other;
  };
  for (const auto& each : state_.nodes)
    if (each.status == run_node_status::running
        || each.status == run_node_status::suspended)
      add(each.deadline);
  if (const auto limit = workflow_->definition.settings.timeout.value_or(0);
      limit > 0)
    add(std::min(state_.started_at + limit, timestamp_max));
  return first;
}

std::vector<start_session> run_machine::open_sessions() const {
  std::vector<start_session> all;
  if (!is_live() || is_replay())
    return all;
  for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
    const auto& each = state_.nodes[i];
    const auto* const runs
      = std::get_if<session_config>(&workflow_->nodes[i].config);
    if (runs != nullptr && each.status == run_node_status::running)
      all.push_back(
        {workflow_->id_of(i), each.session_id.value_or(""), runs->scenario});
  }
  return all;
}

} // namespace convene::session
