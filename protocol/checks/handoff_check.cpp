#include <convene/protocol/checks/handoff_check.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view matching_rule = "handoff_matches_turn";
constexpr std::string_view link_rule = "handoff_linked";

} // namespace

void handoff_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")) {
    depth_max_
      = integer_of(e.session.options, "max_handoff_depth").value_or(depth_max_);
  } else if (e.is("MAPTurnDispatched")) {
    dispatch(e);
  } else if (e.is("MAPTurnCompleted")) {
    complete(e.payload);
  } else if (e.is("MAPHandoffInitiated")) {
    hand_off(e);
  } else if (e.is("session_input")) {
    take_input(e.payload);
  } else if (e.is("resource_written")
             && text_of(e.payload, "resource_type") == "plan_step") {
    rewritten_.emplace(text_of(e.payload, "resource_id"));
  } else if (e.is("MAPSessionCompleted")) {
    end(e.report);
  }
}

void handoff_check::take_input(const json::object& payload) {
  // One input has one decision: what it hands off follows at once.
  decisions_.clear();
  const auto what = text_of(payload, "input");
  if (what == "decision")
    decisions_.emplace(text_of(payload, "request_id"),
                       text_of(payload, "participant_id"));
  else if (what == "suspend")
    drop_all();
  else if (what == "handoff_failed")
    forget(links_.find(text_of(payload, "reason")));
}

void handoff_check::drop_all() {
  links_.clear();
  waited_for_.clear();
}

void handoff_check::forget(links::iterator which) {
  if (which == links_.end())
    return;
  const auto waited = waited_for_.find(which->second.receiver);
  if (--waited->second == 0)
    waited_for_.erase(waited);
  links_.erase(which);
}

void handoff_check::dispatch(const checked_event& e) {
  const auto who = text_of(e.payload, "participant_id");
  held_turn next{.giver = std::string{who},
                 .number = integer_of(e.payload, "turn_number").value_or(0),
                 .task = std::string{text_of(e.payload, "task")},
                 .step_id = std::string{text_of(e.payload, "step_id")},
                 .resources = resource_names_in(e.payload)};
  const auto name = [&] { return "turn " + std::to_string(next.number); };
  if (const auto id = text_of(e.payload, "handoff_id"); !id.empty()) {
    const auto found = links_.find(id);
    if (found == links_.end()) {
      e.report(link_rule, name() + " comes of handoff " + quote(id)
                            + ", which is not known or has its turn");
    } else {
      check_linked(e, found->second);
      next.depth = found->second.depth;
      forget(found);
    }
  } else {
    if (waited_for_.contains(who))
      e.report(link_rule, name() + " goes to " + quote(who)
                            + ", for whom a handoff waits");
  }
  open_.insert_or_assign(std::string{text_of(e.payload, "token_id")},
                         std::move(next));
}

void handoff_check::check_linked(const checked_event& e,
                                 const link& from) const {
  const auto number = integer_of(e.payload, "turn_number").value_or(0);
  const auto name = "turn " + std::to_string(number);
  const auto who = text_of(e.payload, "participant_id");
  if (from.receiver != who)
    e.report(link_rule, name + " goes to " + quote(who) + ", its handoff to "
                          + quote(from.receiver));
  // In logs of earlier versions, the receiver could write what its giver could.
  const auto resources = resource_names_in(e.payload);
  if (text_of(e.payload, "step_id") != from.step_id
      || (resources && resources != from.resources)
      || (!from.task.empty() && !rewritten_.contains(from.step_id)
          && text_of(e.payload, "task") != from.task))
    e.report(link_rule, name
                          + " has another task, step or resources than its "
                            "handoff passes on");
  if (e.whole.contains("initiator_role")
      && text_of(e.whole, "initiator_role") != from.giver_role)
    e.report("roles_match", "initiator_role of " + name
                              + " is not the role of who handed it on");
}

void handoff_check::complete(const indexed_members& payload) {
  const auto found = open_.find(text_of(payload, "token_id"));
  if (found == open_.end())
    return;
  auto closed = open_.extract(found);
  if (text_of(payload, "status") == "handed_off")
    giving_.insert(std::move(closed));
}

void handoff_check::hand_off(const checked_event& e) {
  const auto token = text_of(e.payload, "token_id");
  const auto from = text_of(e.payload, "from_participant");
  const auto number = integer_of(e.payload, "turn_number");
  link made{.receiver = std::string{text_of(e.payload, "to_participant")},
            .giver_role = std::string{text_of(e.payload, "from_role")},
            .depth = 1,
            .task = std::string{text_of(e.payload, "instructions")},
            .step_id = std::string{text_of(e.payload, "step_id")},
            .resources = std::nullopt};
  const auto& report = e.report;
  const auto decided = decisions_.find(token);
  if (const auto given = giving_.extract(std::string{token})) {
    const auto& held = given.mapped();
    if (held.giver != from || number != held.number)
      report(matching_rule, "the handoff names another giver or turn than the "
                            "one whose token it has");
    if (held.step_id != made.step_id)
      report(matching_rule, "the handoff names another step than the turn");
    made.depth = held.depth + 1;
    made.resources = held.resources;
    if (made.task.empty())
      made.task = held.task;
    given_.emplace(token);
  } else if (given_.contains(token)) {
    report("one_handoff_per_turn",
           quote(from) + " has handed this turn, or decision, on before");
  } else if (!number && decided != decisions_.end()
             && decided->second == from) {
    given_.emplace(token);
  } else {
    report(matching_rule, "no turn of " + quote(from)
                            + " with this token has closed as handed_off");
  }
  if (made.depth > depth_max_)
    report("handoff_depth", std::to_string(made.depth)
                              + " handoffs in a row, the scenario allows "
                              + std::to_string(depth_max_));
  const auto id = text_of(e.payload, "handoff_id");
  forget(links_.find(id));
  ++waited_for_[made.receiver];
  links_.emplace(id, std::move(made));
}

void handoff_check::end(const report_finding& report) const {
  for (const auto& [token, turn] : giving_)
    report(matching_rule, "turn " + std::to_string(turn.number)
                            + " closed as handed_off without a handoff");
}

} // namespace convene::protocol
