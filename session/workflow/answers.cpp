#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/workflow/recorder.hpp>
#include <convene/session/workflow/user_question.hpp>
#include <convene/session/workflow/workers.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using enum run_refusal_code;
using event = workflow_event_type;
using status = run_node_status;

run_refusal refused_answer(error what) {
  return {validation_error, std::move(what)};
}

result<void> check_action(const approval_config& gate,
                          const approval_resume& answer) {
  if (std::ranges::find(gate.actions, answer.action) != gate.actions.end())
    return {};
  std::string wanted;
  for (const auto& each : gate.actions)
    wanted += (wanted.empty() ? "" : ", ") + each;
  return fail(
    {.code = errc::invalid_document,
     .message = "the gate takes one of these actions: " + shorten(wanted),
     .pointer = "/action",
     .rule = "approval_action",
     .value = shorten(answer.action)});
}

result<void> check_answers(const clarification_config& gate,
                           const clarification_resume& given) {
  const auto fault = [](const char* rule, std::string message,
                        const std::string& id) {
    std::string pointer = "/answers";
    append_to_pointer(pointer, id);
    return fail({.code = errc::invalid_document,
                 .message = std::move(message),
                 .pointer = std::move(pointer),
                 .rule = rule});
  };
  for (const auto& [id, answer] : given.answers)
    if (std::ranges::find(gate.questions, id, &clarification_question::id)
        == gate.questions.end())
      return fault("known_question", "no one asked this", id);
  for (const auto& each : gate.questions)
    if (each.required.value_or(true) && !given.answers.contains(each.id))
      return fault("answer_missing",
                   "the question " + quote(each.id) + " is not answered",
                   each.id);
  return {};
}

/// The first member that an event lacks, or that is another there.
const json::key_value_pair* find_mismatch(const json::object& correlation,
                                          const json::value& event) {
  const auto* const members = event.if_object();
  for (const auto& each : correlation) {
    const auto* const found = members ? members->if_contains(each.key())
                                      : nullptr;
    if (found == nullptr || !same_value(*found, each.value()))
      return &each;
  }
  return nullptr;
}

/// An event is given as it is, or as the `eventPayload` of an object.
result<void> check_correlation(const interrupt_config& gate,
                               const json::value& given) {
  const auto& wanted = object_of(gate.data, "correlation");
  const auto* const missing = find_mismatch(wanted, given);
  if (missing == nullptr)
    return {};
  const auto* const members = given.if_object();
  const auto* const payload = members ? members->if_contains("eventPayload")
                                      : nullptr;
  if (payload != nullptr && find_mismatch(wanted, *payload) == nullptr)
    return {};
  std::string pointer;
  append_to_pointer(pointer, missing->key());
  return fail({.code = errc::invalid_document,
               .message = "the node waits for another event: the member "
                          + quote(missing->key()) + " is to be "
                          + shorten_value(missing->value()),
               .pointer = std::move(pointer),
               .rule = "correlation"});
}

result<void> check_resume_schema(const interrupt_config& gate,
                                 const json::value& given) {
  if (!gate.resume_schema)
    return {};
  const auto schema = turn_schema::make(*gate.resume_schema);
  if (!schema) // its workflow was read before
    return fail(schema.error());
  auto fits = schema->check(given);
  if (fits)
    return {};
  auto wrong = std::move(fits).error();
  if (wrong.code == errc::limit_reached) {
    wrong.message = "the answer takes too long to check against the node's "
                    "resumeSchema";
    return fail(std::move(wrong));
  }
  const auto why = wrong.message.find(": ");
  wrong.message = "the answer does not match the node's resumeSchema"
                  + (why == std::string::npos ? "" : wrong.message.substr(why));
  wrong.rule = "resume_schema";
  return fail(std::move(wrong));
}

/// Whoever decides outside chooses among workers that are there.
result<void> check_workers(const workflow& of,
                           const orchestrator_decision& what,
                           std::string_view pointer) {
  // Which workflows there are only the host knows.
  for (std::size_t i = 0; i < of.nodes.size(); ++i)
    if (runs_children(of, i))
      return {};
  for (std::size_t i = 0; i < what.next_worker_ids.size(); ++i) {
    const auto place = of.find(what.next_worker_ids[i]);
    if (!place || !is_worker(of, *place))
      return fail({.code = errc::invalid_document,
                   .message = "no dispatch has a worker of this id",
                   .pointer = std::string{pointer} + "/nextWorkerIds/"
                              + std::to_string(i),
                   .rule = "worker_unknown",
                   .value = shorten(what.next_worker_ids[i])});
  }
  return {};
}

/// A decision that was asked for outside: it is given as it is, or as the
/// `decision` of an object that says whose it is.
result<json::value> read_outer_decision(const workflow& of,
                                        const supervisor_config& gate,
                                        const json::value& given) {
  const auto* const members = given.if_object();
  const auto* const inner = members ? members->if_contains("decision")
                                    : nullptr;
  if (inner != nullptr)
    for (const auto& [name, value] : *members)
      if (name != "decision"
          && (name != "agentId" || value != json::value(gate.agent_id))) {
        std::string pointer;
        append_to_pointer(pointer, name);
        return fail({.code = errc::invalid_document,
                     .message = name == "agentId"
                                  ? "the run has another orchestrator: "
                                      + quote(gate.agent_id)
                                  : "beside decision there is only agentId",
                     .pointer = std::move(pointer),
                     .rule = name == "agentId" ? "orchestrator_agent"
                                               : "additionalProperties",
                     .value = shorten_value(value)});
      }
  auto read = inner ? read_decision(*inner, "/decision") : read_decision(given);
  if (!read)
    return fail(std::move(read).error());
  if (auto there = check_workers(of, *read, inner ? "/decision" : ""); !there)
    return fail(std::move(there).error());
  return encode(*read);
}

/// A decision of low confidence is accepted, rejected, or another one is made.
result<json::value> read_ratification(const workflow& of,
                                      const json::value& given) {
  const auto* const members = given.if_object();
  if (members == nullptr || !members->contains("action")) {
    auto read = read_decision(given);
    if (!read)
      return fail(std::move(read).error());
    if (auto there = check_workers(of, *read, ""); !there)
      return fail(std::move(there).error());
    return encode(*read);
  }
  const approval_config choices;
  auto read = decode_resume_value(interrupt_kind::approval, given);
  if (!read)
    return fail(std::move(read).error());
  if (auto fits = check_action(choices, std::get<approval_resume>(*read));
      !fits)
    return fail(std::move(fits).error());
  return encode_resume_value(*read);
}

/// What answers a gate that is no conversation's, as it is recorded.
result<json::value> read_answer(const workflow& of, std::size_t node,
                                interrupt_kind kind, const json::value& given) {
  const auto& gate = of.nodes[node].config;
  if (const auto* decides = std::get_if<supervisor_config>(&gate))
    return kind == interrupt_kind::low_confidence
             ? read_ratification(of, given)
             : read_outer_decision(of, *decides, given);
  if (const auto* waits = std::get_if<interrupt_config>(&gate)) {
    auto fits = waits->kind == interrupt_kind::external_event
                  ? check_correlation(*waits, given)
                  : result<void>{};
    if (fits)
      fits = check_resume_schema(*waits, given);
    if (!fits)
      return fail(std::move(fits).error());
    return given;
  }
  const auto* const approval = std::get_if<approval_config>(&gate);
  auto read = decode_resume_value(
    approval ? interrupt_kind::approval : interrupt_kind::clarification, given);
  if (!read)
    return fail(std::move(read).error());
  const auto* const asks = std::get_if<clarification_config>(&gate);
  const auto fits
    = approval ? check_action(*approval, std::get<approval_resume>(*read))
               : check_answers(asks ? *asks : clarification_of(""),
                               std::get<clarification_resume>(*read));
  if (!fits)
    return fail(fits.error());
  return encode_resume_value(*read);
}

run_refusal_code code_of(interrupt_error from) {
  return from_word<run_refusal_code>(to_word(from)).value_or(internal_error);
}

} // namespace

void run_machine::take(recorder& to, const resolve_interrupt& input) {
  if (input.interrupt_id
      && find_open(input.node_id, *input.interrupt_id) == nullptr)
    return to.refuse(interrupt_already_resolved, "interrupt_already_resolved",
                     "no one waits for this answer any more", {},
                     errc::not_allowed);
  const auto place = workflow_->find(input.node_id);
  if (!place || !state_.nodes[*place].interrupt)
    return to.refuse(interrupt_not_found, "interrupt_not_found",
                     "the node " + quote(input.node_id) + " asks nothing", {},
                     errc::not_allowed);
  if (is_replay() && !is_replaying_)
    return to.refuse(conflict, "replay_asks_nobody",
                     "a replay takes only what its source recorded: fork a "
                     "branch to answer",
                     {}, errc::not_allowed);
  const auto& by = input.resolved_by;
  if (by && (!valid_utf8(*by) || count_characters(*by) > conversation_text_max))
    return to.refuse(internal_error, "resolved_by",
                     "who answers has a name of at most 256 characters of "
                     "UTF-8",
                     {}, errc::internal);
  if (is_conversation(state_.nodes[*place].interrupt->kind))
    return answer_conversation(to, input);
  answer_gate(to, *place, input);
}

void run_machine::answer_gate(recorder& to, std::size_t node,
                              const resolve_interrupt& input) {
  const auto& of = state_.nodes[node];
  if (of.status == status::cancelled && !of.interrupt->answer)
    return to.refuse(interrupt_cancelled, "interrupt_cancelled",
                     "the run ended while nobody had answered", {},
                     errc::not_allowed);
  if (of.status != status::suspended || of.interrupt->answer)
    return to.refuse(interrupt_already_resolved, "interrupt_already_resolved",
                     "the node does not wait any more", {}, errc::not_allowed);
  if (json::serialize(input.resume_value).size() > answer_bytes_max)
    return to.refuse(validation_error, "answer_bytes_max",
                     "an answer has at most " + std::to_string(answer_bytes_max)
                       + " bytes",
                     {}, errc::limit_reached);
  if (auto wrong = check_readable(input.resume_value, ""))
    return to.refuse(refused_answer(std::move(wrong->what)));
  auto answer = read_answer(*workflow_, node, of.interrupt->kind,
                            input.resume_value);
  if (!answer)
    return to.refuse(refused_answer(std::move(answer).error()));
  to.record(event::interrupt_resolved,
            interrupt_resolved{.run_id = run_id_,
                               .node_id = input.node_id,
                               .interrupt_id = of.interrupt->id,
                               .kind = of.interrupt->kind,
                               .resume_value = any_value{*std::move(answer)},
                               .resolved_at = format_timestamp(to.time()),
                               .resolved_by = input.resolved_by},
            node);
}

void run_machine::answer_conversation(recorder& to,
                                      const resolve_interrupt& input) {
  auto read = decode_resume_value(interrupt_kind::conversation,
                                  input.resume_value);
  if (!read)
    return to.refuse(refused_answer(std::move(read).error()));
  auto* const taken = std::get_if<exchange_resume>(&*read);
  const conversation_input what
    = taken ? conversation_input{std::move(*taken)}
            : conversation_input{close_conversation{
              std::get<close_resume>(*std::move(read)), input.resolved_by}};
  auto made = conversations_.feed(input.node_id, what, to.time(),
                                  state_.next_sequence, is_replaying_);
  auto refusal = std::move(made.refusal);
  const auto answer = std::move(made.answer);
  const bool is_duplicate = made.is_duplicate;
  made.refusal.reset();
  to.keep(std::move(made));
  if (to.has_failed())
    return;
  if (refusal)
    return to.refuse({code_of(refusal->code), std::move(refusal->what)});
  to.answer(*answer, is_duplicate);
}

} // namespace convene::session
