#pragma once

#include <convene/session/actions/action_book.hpp>
#include <convene/session/conflicts/claim_book.hpp>
#include <convene/session/conflicts/open_conflict.hpp>
#include <convene/session/journal/tally.hpp>
#include <convene/session/machine/graph_record.hpp>
#include <convene/session/requests/request_slot.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>
#include <convene/session/workspace/size.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// The content of a snapshot for each struct, used for both saving and loading.
// Each function decomposes its struct, so that code with a new member does not
// compile until its handling is defined.

namespace convene::session {

template <class X, class T>
concept is = std::same_as<std::remove_const_t<X>, T>;

/// Classes list their members themselves.
template <class T, class F>
concept has_own_fields = requires(T& x, F& f) {
  std::remove_const_t<T>::fields(x, f);
};

template <class F, is<protocol::usage> X>
void fields(F& f, X& x) {
  auto& [prompt, completion, cost] = x;
  f("prompt_tokens", prompt);
  f("completion_tokens", completion);
  f("cost_microusd", cost);
}

template <class F, is<protocol::resource_ref> X>
void fields(F& f, X& x) {
  auto& [type, id] = x;
  f("type", type);
  f("id", id);
}

template <class F, is<protocol::resource_write> X>
void fields(F& f, X& x) {
  auto& [type, id, base, op, value] = x;
  f("type", type);
  f("id", id);
  f("base", base);
  f("op", op);
  f("value", value);
}

template <class F, is<turn_terms> X>
void fields(F& f, X& x) {
  auto& [limited, resources, handoff, by, depth, instructions, reason] = x;
  f("limited", limited);
  f("resources", resources);
  f("handoff", handoff);
  f.who("by", by);
  f("depth", depth);
  f("instructions", instructions);
  f("reason", reason);
}

template <class F, is<open_request> X>
void fields(F& f, X& x) {
  auto& [kind, may_write, wrote, turn, step, token, issued, expires, revision,
         duty, terms]
    = x;
  f("kind", kind);
  f("token", token);
  f("turn", turn);
  f.time("issued", issued);
  f.time("expires", expires);
  f.step("step", step);
  f("revision", revision);
  f("may_write", may_write);
  f("wrote", wrote);
  f.word("duty", duty);
  f("terms", terms);
}

template <class F, is<request_slot> X>
void fields(F& f, X& x) {
  auto& [open, last, requests, decisions, violations, questions, revision, task]
    = x;
  f("open", open);
  f("last", last);
  f("requests", requests);
  f("decisions", decisions);
  f("violations", violations);
  f("revision", revision);
  f("questions", questions);
  if constexpr (F::loads) {
    std::string loaded;
    f("task", loaded);
    if (!loaded.empty())
      task = std::move(loaded);
  } else {
    f("task", task ? std::string_view{*task} : std::string_view{});
  }
}

template <class F, is<protocol::action> X>
void fields(F& f, X& x) {
  auto& [position, kind, name, arguments, repeatable, timeout] = x;
  f("position", position);
  f("kind", kind);
  f("name", name);
  f("arguments", arguments);
  f("repeatable", repeatable);
}

/// When to try again does not matter to a session.
template <class F, is<protocol::action_error> X>
void fields(F& f, X& x) {
  auto& [code, message, transient, retry_after] = x;
  f("code", code);
  f("message", message);
  f("transient", transient);
}

template <class F, is<protocol::action_result> X>
void fields(F& f, X& x) {
  auto& [status, output, error, usage] = x;
  f("status", status);
  f("output", output);
  f("error", error);
  f("usage", usage);
}

template <class F, is<recorded_action> X>
void fields(F& f, X& x) {
  auto& [what, attempt, ended, result] = x;
  f("what", what);
  f("attempt", attempt);
  f("ended", ended);
  f("result", result);
}

template <class F, is<recorded_actions> X>
void fields(F& f, X& x) {
  auto& [first_token, all] = x;
  f("first_token", first_token);
  f("all", all);
}

template <class F, is<held_request> X>
void fields(F& f, X& x) {
  auto& [who, token] = x;
  f.someone("who", who);
  f("token", token);
}

template <class F, is<open_attempt> X>
void fields(F& f, X& x) {
  auto& [position, kind, number, execution_id, begun_at] = x;
  f("position", position);
  f("kind", kind);
  f("number", number);
  f("execution_id", execution_id);
  f.time("begun_at", begun_at);
}

template <class F, is<request_actions> X>
void fields(F& f, X& x) {
  auto& [recorded, open, turn_number, attempts, bytes, usage] = x;
  f("recorded", recorded);
  f("open", open);
  f("turn", turn_number);
  f("attempts", attempts);
  f("bytes", bytes);
  f("usage", usage);
}

template <class F, is<request_purpose> X>
void fields(F& f, X& x) {
  auto& [kind, step, duty, task] = x;
  f("kind", kind);
  f.step("step", step);
  f("duty", duty);
  f("task", task);
}

template <class F, is<left_actions> X>
void fields(F& f, X& x) {
  auto& [purpose, actions] = x;
  f("purpose", purpose);
  f("actions", actions);
}

template <class F, is<response> X>
void fields(F& f, X& x) {
  auto& [participant, status, content] = x;
  f.someone("participant", participant);
  f("status", status);
  f("content", content);
}

template <class F, is<missed_quorum> X>
void fields(F& f, X& x) {
  auto& [answered, needed] = x;
  f("answered", answered);
  f("needed", needed);
}

template <class F, is<open_broadcast> X>
void fields(F& f, X& x) {
  auto& [id, round, targets, answered, needed, ends_early, counted, task,
         responses]
    = x;
  f("id", id);
  f("round", round);
  f("targets", targets);
  f("answered", answered);
  f("needed", needed);
  f("ends_early", ends_early);
  f("counted", counted);
  f("task", task);
  f("responses", responses);
}

template <class F, is<dispatch> X>
void fields(F& f, X& x) {
  auto& [participant, step, task, duty, may_write, terms] = x;
  f.someone("participant", participant);
  f.step("step", step);
  f("task", task);
  f.word("duty", duty);
  f("may_write", may_write);
  f("terms", terms);
}

template <class F, is<complete> X>
void fields(F& f, X& x) {
  auto& [success, condition, observed, limit] = x;
  f("success", success);
  f.word("condition", condition);
  f("observed", observed);
  f("limit", limit);
}

/// Their identity follows from the scenario.
template <class F, is<participant_state> X>
void fields(F& f, X& x) {
  auto& [id, role, role_name, acting, lost, votes_end, busy] = x;
  f("lost", lost);
  f("votes_end", votes_end);
  f("busy", busy);
}

template <class F, is<graph_record::handoff> X>
void fields(F& f, X& x) {
  auto& [from, to] = x;
  f.someone("from", from);
  f.someone("to", to);
}

template <class F, is<graph_record::extent> X>
void fields(F& f, X& x) {
  auto& [opened, traces, messages, segments] = x;
  f("opened", opened);
  f("traces", traces);
  f("messages", messages);
  f("segments", segments);
}

template <class F, is<graph_record> X>
void fields(F& f, X& x) {
  auto& [handoffs, recorded] = x;
  f("handoffs", handoffs);
  f("recorded", recorded);
}

template <class F, is<turn_state> X>
void fields(F& f, X& x) {
  auto& [holder, index, started] = x;
  f.who("holder", holder);
  f.who("index", index);
  f.time("started", started);
}

template <class F, is<tally> X>
void fields(F& f, X& x) {
  auto& [turns, broadcasts, receipts, conflicts, handoffs, refused, usage] = x;
  f("turns", turns);
  f("broadcasts", broadcasts);
  f("receipts", receipts);
  f("conflicts", conflicts);
  f("handoffs", handoffs);
  f("refused", refused);
  f("usage", usage);
}

/// Names and the number of those who act: from the scenario.
template <class F, is<roster> X>
void fields(F& f, X& x) {
  auto& [role_names, orchestrator, deputy, initiator, acting] = x;
  f.who("orchestrator", orchestrator);
  f.who("deputy", deputy);
  f.who("initiator", initiator);
}

template <class F, is<step_state> X>
void fields(F& f, X& x) {
  auto& [assigned, attempts, live, declined, resources] = x;
  f.who("assigned", assigned);
  f("attempts", attempts);
  f("live", live);
  f.who("declined_by", declined);
  f("resources", resources);
}

template <class F, is<author> X>
void fields(F& f, X& x) {
  auto& [participant, turn, token] = x;
  f.who("participant", participant);
  f("turn", turn);
  f("token", token);
}

/// Its size follows from its value.
template <class F, is<resource> X>
void fields(F& f, X& x) {
  auto& [key, version, revision, base, deleted, value, by, bytes] = x;
  f("name", key);
  f("version", version);
  f("revision", revision);
  f("base", base);
  f("deleted", deleted);
  f("value", value);
  f("by", by);
  if constexpr (F::loads)
    bytes = measure(value).bytes;
}

template <class F, is<resource_key> X>
void fields(F& f, X& x) {
  auto& [type, id] = x;
  f("type", type);
  f("id", id);
}

template <class F, is<claim_book::claim> X>
void fields(F& f, X& x) {
  auto& [holder, expires] = x;
  f.someone("holder", holder);
  f.time("expires", expires);
}

template <class F, is<write_conflict> X>
void fields(F& f, X& x) {
  auto& [base, current, traced, versions, authors] = x;
  f("base", base);
  f("current", current);
  f("traced", traced);
  f("versions", versions);
  f("authors", authors);
}

/// A conflict that others decide is never about a claim.
template <class F, is<writing> X>
void fields(F& f, X& x) {
  auto& [who, turn, token, step, allowed, input, claim] = x;
  f.someone("who", who);
  f("turn", turn);
  f("token", token);
  f.step("step", step);
  f("allowed", allowed);
  f("input", input);
}

template <class F, is<question> X>
void fields(F& f, X& x) {
  auto& [to, token] = x;
  f.someone("to", to);
  f("token", token);
}

template <class F, is<ballot> X>
void fields(F& f, X& x) {
  auto& [voter, in_favour_of] = x;
  f.someone("voter", voter);
  f.someone("in_favour_of", in_favour_of);
}

template <class F, is<written> X>
void fields(F& f, X& x) {
  auto& [value] = x;
  f("value", value);
}

template <class F, is<open_conflict> X>
void fields(F& f, X& x) {
  auto& [id, by, what, found, made, stage, kind, expires, asked, votes] = x;
  f("id", id);
  f("by", by);
  f("what", what);
  f("found", found);
  f("made", made);
  f("stage", stage);
  f("kind", kind);
  f.time("expires", expires);
  f("asked", asked);
  f("votes", votes);
}

} // namespace convene::session
