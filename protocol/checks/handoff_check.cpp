#include <convene/protocol/checks/handoff_check.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view matching_rule = "handoff_matches_turn";
constexpr std::string_view link_rule = "handoff_linked";

} // namespace

void handoff_check::feed(std::string_view type, const json::object& payload,
                         const report_finding& report) {
  if (type == "MAPSessionStarted") {
    const auto& options = object_of(object_of(payload, "spec"), "session");
    depth_max_ = integer_of(options, "max_handoff_depth").value_or(depth_max_);
  } else if (type == "MAPTurnDispatched") {
    dispatch(payload, report);
  } else if (type == "MAPTurnCompleted") {
    complete(payload);
  } else if (type == "MAPHandoffInitiated") {
    hand_off(payload, report);
  } else if (type == "session_input") {
    // One input has one decision: what it hands off follows at once.
    decisions_.clear();
    if (text_of(payload, "input") == "decision")
      decisions_.emplace(text_of(payload, "request_id"),
                         text_of(payload, "participant_id"));
  } else if (type == "MAPSessionCompleted") {
    end(report);
  }
}

void handoff_check::dispatch(const json::object& payload,
                             const report_finding& report) {
  const auto who = text_of(payload, "participant_id");
  held_turn next{.giver = std::string{who},
                 .number = integer_of(payload, "turn_number").value_or(0)};
  if (const auto id = text_of(payload, "handoff_id"); !id.empty()) {
    const auto found = links_.find(id);
    if (found == links_.end()) {
      report(link_rule, "turn " + std::to_string(next.number)
                          + " comes of handoff " + quote(id)
                          + ", which is not known or has its turn");
    } else {
      if (found->second.receiver != who)
        report(link_rule, "turn " + std::to_string(next.number) + " goes to "
                            + quote(who) + ", its handoff to "
                            + quote(found->second.receiver));
      next.depth = found->second.depth;
      links_.erase(found);
    }
  }
  open_.insert_or_assign(std::string{text_of(payload, "token_id")},
                         std::move(next));
}

void handoff_check::complete(const json::object& payload) {
  auto closed = open_.extract(std::string{text_of(payload, "token_id")});
  if (closed && text_of(payload, "status") == "handed_off")
    giving_.insert(std::move(closed));
}

void handoff_check::hand_off(const json::object& payload,
                             const report_finding& report) {
  const auto token = text_of(payload, "token_id");
  const auto from = text_of(payload, "from_participant");
  const auto number = integer_of(payload, "turn_number");
  link made{.receiver = std::string{text_of(payload, "to_participant")},
            .depth = 1};
  const auto decided = decisions_.find(token);
  if (const auto given = giving_.extract(std::string{token})) {
    const auto& held = given.mapped();
    if (held.giver != from || number != held.number)
      report(matching_rule, "the handoff names another giver or turn than the "
                            "one whose token it has");
    made.depth = held.depth + 1;
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
  links_.insert_or_assign(std::string{text_of(payload, "handoff_id")},
                          std::move(made));
}

void handoff_check::end(const report_finding& report) const {
  for (const auto& [token, turn] : giving_)
    report(matching_rule, "turn " + std::to_string(turn.number)
                            + " closed as handed_off without a handoff");
}

} // namespace convene::protocol
