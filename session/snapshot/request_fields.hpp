#pragma once

#include <convene/session/journal/effects.hpp>
#include <convene/session/snapshot/fields.hpp>

// The same for what participants are shown.

namespace convene::session {

template <class F, is<ready_step> X>
void fields(F& f, X& x) {
  auto& [step_id, description, role, assigned, attempts] = x;
  f("step_id", step_id);
  f("description", description);
  f("role", role);
  f.who("assigned", assigned);
  f("attempts", attempts);
}

template <class F, is<closed_view> X>
void fields(F& f, X& x) {
  auto& [participant, status, step_id, content] = x;
  f.who("participant", participant);
  f("status", status);
  f("step_id", step_id);
  f("content", content);
}

template <class F, is<decision_view> X>
void fields(F& f, X& x) {
  auto& [ready, total, open, failed, outstanding, participant, status, step_id,
         content, also, refused, responses, missed]
    = x;
  f("ready", ready);
  f("steps_total", total);
  f("steps_open", open);
  f("steps_failed", failed);
  f("outstanding", outstanding);
  f.who("participant", participant);
  f("status", status);
  f("step_id", step_id);
  f("content", content);
  f("also_closed", also);
  f("refused", refused);
  f("responses", responses);
  f("missed", missed);
}

template <class F, is<conflict_side> X>
void fields(F& f, X& x) {
  auto& [participant, deleted, value] = x;
  f.who("participant", participant);
  f("deleted", deleted);
  f("value", value);
}

template <class F, is<conflict_view> X>
void fields(F& f, X& x) {
  auto& [id, type, resource, sides] = x;
  f("id", id);
  f("type", type);
  f("resource", resource);
  f("sides", sides);
}

template <class F, is<request> X>
void fields(F& f, X& x) {
  auto& [kind, token, turn, sequence, kind_sequence, round, attempt, expires,
         task, duty, step_id, terms, dialog, responses, missed, decide,
         conflict, workspace, since, actions]
    = x;
  f("kind", kind);
  f("token", token);
  f("turn", turn);
  f("sequence", sequence);
  f("kind_sequence", kind_sequence);
  f("round", round);
  f("attempt", attempt);
  f.time("expires", expires);
  f("task", task);
  f("duty", duty);
  f("step_id", step_id);
  f("terms", terms);
  f("dialog", dialog);
  f("responses", responses);
  f("missed", missed);
  f("decide", decide);
  f("conflict", conflict);
  f("workspace", workspace);
  f("since", since);
  f("actions", actions);
}

template <class F, is<delivery> X>
void fields(F& f, X& x) {
  auto& [to, what] = x;
  f.someone("to", to);
  f("what", what);
}

} // namespace convene::session
