// What participants do outside of the session while their requests are open.

#include <convene/session/machine/machine.hpp>

#include <utility>

namespace convene::session {

bool machine::is_open(const held_request& what) const noexcept {
  if (what.who >= requests_.size())
    return false;
  const auto* open = requests_.find(what.who);
  return (open != nullptr && open->token == what.token)
         || arbiter_.asks(what.who, what.token);
}

bool machine::may_spend(const protocol::usage& used) const noexcept {
  const auto& most = spec_.options.budget;
  return (!most.tokens || total_tokens(used) < *most.tokens)
         && (!most.cost_microusd || used.cost_microusd < *most.cost_microusd);
}

consequence machine::on(action_begins&& a) {
  const held_request of{a.from, a.token};
  if (a.from >= requests_.size()) {
    ++log_.counts().refused;
  } else if (!is_open(of)) {
    actions_.refuse(of, std::move(a.what.position), "request_closed");
  } else {
    const auto* open = requests_.find(a.from);
    const bool is_turn = open != nullptr && open->token == a.token;
    actions_.begin(of, is_turn ? open->turn_number : 0, std::move(a.what),
                   a.attempt, may_spend(counts().usage));
  }
  return {};
}

consequence machine::on(action_ends&& a) {
  actions_.end({a.from, a.token}, a.position, a.attempt, std::move(a.result));
  return {};
}

consequence machine::on(forked&&) {
  if (actions_.bar_repeats())
    log_simple_input("forked", no_participant, {});
  else
    ++log_.counts().refused;
  return {};
}

/// The request is in the table, or about to be.
request_purpose machine::purpose_of(participant_index who,
                                    const open_request& open) const {
  request_purpose made{.kind = open.kind,
                       .step = open.step,
                       .duty = std::string{open.duty}};
  if (open.kind == request_kind::turn)
    made.task = requests_.task_of(who);
  else if (open.kind == request_kind::broadcast)
    made.task = round_.task();
  return made;
}

void machine::close_actions(participant_index who, std::string_view reason) {
  const auto& open = *requests_.find(who);
  if (reason == "suspended")
    actions_.suspend({who, open.token}, purpose_of(who, open));
  else
    actions_.close({who, open.token}, reason);
}

} // namespace convene::session
