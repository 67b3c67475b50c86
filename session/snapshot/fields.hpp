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

/// `fields` for a struct: all its members, in parentheses, and what is done
/// with those that a snapshot has.
#define CONVENE_FIELDS(type, members, ...)                                     \
  template <class F, is<type> X>                                               \
  void fields(F& f, X& x) {                                                    \
    auto& [CONVENE_NAMES members] = x;                                         \
    __VA_ARGS__;                                                               \
  }
#define CONVENE_NAMES(...) __VA_ARGS__
#define FIELD(name) f(#name, name)
#define TIME(name) f.time(#name, name)
#define WHO(name) f.who(#name, name)
#define SOMEONE(name) f.someone(#name, name)
#define WORD(name) f.word(#name, name)
#define STEP(name) f.step(#name, name)

CONVENE_FIELDS(protocol::usage, (prompt, completion, cost),
               f("prompt_tokens", prompt), f("completion_tokens", completion),
               f("cost_microusd", cost));
CONVENE_FIELDS(protocol::resource_ref, (type, id), FIELD(type), FIELD(id));
CONVENE_FIELDS(protocol::resource_write, (type, id, base, op, value),
               FIELD(type), FIELD(id), FIELD(base), FIELD(op), FIELD(value));
CONVENE_FIELDS(turn_terms,
               (limited, resources, handoff, by, depth, instructions, reason),
               FIELD(limited), FIELD(resources), FIELD(handoff), WHO(by),
               FIELD(depth), FIELD(instructions), FIELD(reason));
CONVENE_FIELDS(open_request,
               (kind, may_write, wrote, turn, step, token, issued, expires,
                revision, duty, terms),
               FIELD(kind), FIELD(token), FIELD(turn), TIME(issued),
               TIME(expires), STEP(step), FIELD(revision), FIELD(may_write),
               FIELD(wrote), WORD(duty), FIELD(terms));

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

CONVENE_FIELDS(protocol::action,
               (position, kind, name, arguments, repeatable, timeout, question),
               FIELD(position), FIELD(kind), FIELD(name), FIELD(arguments),
               FIELD(repeatable));

/// When to try again does not matter to a session.
CONVENE_FIELDS(protocol::action_error, (code, message, transient, retry_after),
               FIELD(code), FIELD(message), FIELD(transient));
CONVENE_FIELDS(protocol::action_result, (status, output, error, usage),
               FIELD(status), FIELD(output), FIELD(error), FIELD(usage));
CONVENE_FIELDS(recorded_action, (what, attempt, ended, result), FIELD(what),
               FIELD(attempt), FIELD(ended), FIELD(result));
CONVENE_FIELDS(recorded_actions, (first_token, all), FIELD(first_token),
               FIELD(all));
CONVENE_FIELDS(held_request, (who, token), SOMEONE(who), FIELD(token));
CONVENE_FIELDS(open_attempt, (position, kind, number, execution_id, begun_at),
               FIELD(position), FIELD(kind), FIELD(number), FIELD(execution_id),
               TIME(begun_at));
CONVENE_FIELDS(request_actions,
               (recorded, open, turn_number, attempts, bytes, usage),
               FIELD(recorded), FIELD(open), f("turn", turn_number),
               FIELD(attempts), FIELD(bytes), FIELD(usage));
CONVENE_FIELDS(request_purpose, (kind, step, duty, task), FIELD(kind),
               STEP(step), FIELD(duty), FIELD(task));
CONVENE_FIELDS(left_actions, (purpose, actions), FIELD(purpose),
               FIELD(actions));
CONVENE_FIELDS(response, (participant, status, content), SOMEONE(participant),
               FIELD(status), FIELD(content));
CONVENE_FIELDS(missed_quorum, (answered, needed), FIELD(answered),
               FIELD(needed));
CONVENE_FIELDS(open_broadcast,
               (id, round, targets, answered, needed, ends_early, counted, task,
                responses),
               FIELD(id), FIELD(round), FIELD(targets), FIELD(answered),
               FIELD(needed), FIELD(ends_early), FIELD(counted), FIELD(task),
               FIELD(responses));
CONVENE_FIELDS(dispatch, (participant, step, task, duty, may_write, terms),
               SOMEONE(participant), STEP(step), FIELD(task), WORD(duty),
               FIELD(may_write), FIELD(terms));
CONVENE_FIELDS(complete, (success, condition, observed, limit), FIELD(success),
               WORD(condition), FIELD(observed), FIELD(limit));

/// Their identity follows from the scenario.
CONVENE_FIELDS(participant_state,
               (id, role, role_name, acting, lost, votes_end, busy),
               FIELD(lost), FIELD(votes_end), FIELD(busy));
CONVENE_FIELDS(graph_record::handoff, (from, to), SOMEONE(from), SOMEONE(to));
CONVENE_FIELDS(graph_record::extent, (opened, traces, messages, segments),
               FIELD(opened), FIELD(traces), FIELD(messages), FIELD(segments));
CONVENE_FIELDS(graph_record, (handoffs, recorded), FIELD(handoffs),
               FIELD(recorded));
CONVENE_FIELDS(turn_state, (holder, index, started), WHO(holder), WHO(index),
               TIME(started));
CONVENE_FIELDS(tally,
               (turns, broadcasts, receipts, conflicts, handoffs, refused,
                usage),
               FIELD(turns), FIELD(broadcasts), FIELD(receipts),
               FIELD(conflicts), FIELD(handoffs), FIELD(refused), FIELD(usage));

/// Names and the number of those who act: from the scenario.
CONVENE_FIELDS(roster, (role_names, orchestrator, deputy, initiator, acting),
               WHO(orchestrator), WHO(deputy), WHO(initiator));
CONVENE_FIELDS(step_state, (assigned, attempts, live, declined, resources),
               WHO(assigned), FIELD(attempts), FIELD(live),
               f.who("declined_by", declined), FIELD(resources));
CONVENE_FIELDS(author, (participant, turn, token), WHO(participant),
               FIELD(turn), FIELD(token));

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

CONVENE_FIELDS(resource_key, (type, id), FIELD(type), FIELD(id));
CONVENE_FIELDS(claim_book::claim, (holder, expires), SOMEONE(holder),
               TIME(expires));
CONVENE_FIELDS(write_conflict, (base, current, traced, versions, authors),
               FIELD(base), FIELD(current), FIELD(traced), FIELD(versions),
               FIELD(authors));

/// A conflict that others decide is never about a claim.
CONVENE_FIELDS(writing, (who, turn, token, step, allowed, input, claim),
               SOMEONE(who), FIELD(turn), FIELD(token), STEP(step),
               FIELD(allowed), FIELD(input));
CONVENE_FIELDS(question, (to, token), SOMEONE(to), FIELD(token));
CONVENE_FIELDS(ballot, (voter, in_favour_of), SOMEONE(voter),
               SOMEONE(in_favour_of));
CONVENE_FIELDS(written, (value), FIELD(value));
CONVENE_FIELDS(open_conflict,
               (id, by, what, found, made, stage, kind, expires, asked, votes),
               FIELD(id), FIELD(by), FIELD(what), FIELD(found), FIELD(made),
               FIELD(stage), FIELD(kind), TIME(expires), FIELD(asked),
               FIELD(votes));

} // namespace convene::session
