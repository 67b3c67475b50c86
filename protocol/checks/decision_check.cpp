#include <convene/protocol/checks/decision_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view decision_rule = "orchestrator_decides";

/// Whether a member that may be missing is what the event says.
bool agrees(const json::object& decided, std::string_view member,
            std::string_view is) {
  const auto wanted = text_of(decided, member);
  return wanted.empty() || wanted == is;
}

bool fits_turn(const checked_event& e, std::string_view kind,
               const json::object& decided) {
  const auto shown = resource_names_in(e.payload);
  const bool asks = kind == "ask";
  return agrees(decided, "participant", text_of(e.payload, "participant_id"))
         && agrees(decided, "task", text_of(e.payload, "task"))
         && agrees(decided, "step_id", text_of(e.payload, "step_id"))
         && (asks ? shown && shown->empty()
                  : shown == resource_names_in(decided));
}

} // namespace

template <class Fits>
bool decision_check::take(std::initializer_list<std::string_view> kinds,
                          Fits fits) {
  const auto found = std::ranges::find_if(decided_, [&](const item& each) {
    return std::ranges::find(kinds, each.kind) != kinds.end()
           && fits(each.kind, each.what);
  });
  if (found == decided_.end())
    return false;
  decided_.erase(found);
  return true;
}

void decision_check::feed(const checked_event& e) {
  if (e.session.policy != "orchestrated")
    return;
  if (e.is("session_input")) {
    decide(e);
  } else if (e.is("MAPTurnDispatched")) {
    if (const auto* who = e.session.find(decider_);
        who != nullptr && !e.payload.contains("handoff_id")
        && text_of(e.whole, "initiator_role") != who->role)
      e.report("roles_match", "initiator_role is not the role of who decided");
    if (text_of(e.payload, "handoff_id").empty()
        && !take({"dispatch", "ask"},
                 [&](std::string_view kind, const json::object& decided) {
                   return fits_turn(e, kind, decided);
                 }))
      e.report(decision_rule, "no one decided that participant "
                                + quote(text_of(e.payload, "participant_id"))
                                + " gets this turn");
  } else if (e.is("MAPBroadcastSent")) {
    const auto task = text_of(object_of(e.payload, "message"), "task");
    if (!take({"broadcast"}, [&](std::string_view, const json::object& what) {
          return agrees(what, "task", task);
        }))
      e.report(decision_rule, "no one decided to broadcast this");
  } else if (e.is("MAPHandoffInitiated")
             && !e.payload.contains("turn_number")) {
    const auto to = text_of(e.payload, "to_participant");
    if (!take({"handoff"}, [&](std::string_view, const json::object& what) {
          return text_of(what, "instructions")
                   == text_of(e.payload, "instructions")
                 && text_of(what, "reason") == text_of(e.payload, "reason")
                 && e.session.is_called(to, text_of(what, "to"));
        }))
      e.report(decision_rule, "no one decided to hand this to " + quote(to));
  } else if (e.is("MAPSessionCompleted")) {
    check_end(e);
  }
}

void decision_check::decide(const checked_event& e) {
  // What else comes in meanwhile, votes for instance, changes nothing.
  if (e.input() != "decision")
    return;
  decided_.clear();
  const auto& options = e.session.options;
  const auto who = text_of(e.payload, "participant_id");
  if (const auto leads = text_of(options, "orchestrator");
      !leads.empty() && who != leads && who != text_of(options, "deputy"))
    e.report(decision_rule, "participant " + quote(who)
                              + " decides, the orchestrator is "
                              + quote(leads));
  decider_ = who;
  const auto& reply = object_of(e.payload, "reply");
  if (reply_status_of(reply) != "completed")
    return;
  for (const auto& each : array_of(reply, "decision"))
    if (const auto* one = each.if_object(); one != nullptr && !one->empty())
      decided_.push_back({std::string{one->begin()->key()},
                          one->begin()->value().is_object()
                            ? one->begin()->value().get_object()
                            : json::object{}});
}

void decision_check::check_end(const checked_event& e) const {
  const auto& why = object_of(e.payload, "stop_reason");
  const auto condition = text_of(why, "condition");
  const bool completes = condition == "orchestrator_complete";
  if (!completes && condition != "orchestrator_gave_up")
    return;
  const bool decided = std::ranges::any_of(decided_, [&](const item& each) {
    const auto* success = each.what.if_contains("success");
    const bool succeeds = success == nullptr || !success->is_bool()
                          || success->get_bool();
    return each.kind == "complete" && succeeds == completes
           && text_of(each.what, "reason") == text_of(why, "observed");
  });
  if (!decided)
    e.report(decision_rule,
             "the session ends as " + quote(condition)
               + ", and the orchestrator has just decided something else");
}

} // namespace convene::protocol
