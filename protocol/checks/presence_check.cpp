#include <convene/protocol/checks/presence_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view presence_rule = "presence_matches";
constexpr std::string_view vain_rule = "nobody_asked_in_vain";

struct known_input {
  std::string_view name;
  std::string_view executor_kind = "worker";
};

constexpr known_input inputs[]{{"decision", "agent"},
                               {"vote", "agent"},
                               {"escalation", "agent"},
                               {"participant_down"},
                               {"participant_up"},
                               {"suspend"},
                               {"resume"},
                               {"cancel"},
                               {"stop"},
                               {"verdict"},
                               {"fault"},
                               {"forked"},
                               {"message"},
                               {"decision_timed_out"},
                               {"vote_timed_out"},
                               {"escalation_timed_out"},
                               {"handoff_failed"}};

/// The executor of the events of the family runtime_execution.
void check_executor(const checked_event& e) {
  const bool refused = e.is("write_refused") || e.is("claim_refused");
  if (!refused && !e.is("session_input"))
    return;
  const auto* known = std::ranges::find(inputs, e.input(), &known_input::name);
  if (!refused && known == std::end(inputs))
    return e.report("inputs_known",
                    "no input has the name " + quote(e.input()));
  const auto kind = refused ? "agent" : known->executor_kind;
  const auto status = refused ? "failed" : "completed";
  if (text_of(e.whole, "executor_kind") != kind
      || text_of(e.whole, "status") != status)
    e.report("inputs_known", "executor_kind and status of this event are "
                               + quote(kind) + " and " + quote(status));
}

} // namespace

void presence_check::feed(const checked_event& e) {
  check_executor(e);
  if (e.is("session_input")) {
    take_input(e);
  } else if (e.is("MAPTurnDispatched")) {
    const auto who = text_of(e.payload, "participant_id");
    check_asked(e, who);
    check_duty(e);
    const bool is_free = busy_.emplace(who).second;
    if (!is_free)
      e.report(vain_rule,
               "participant " + quote(who) + " gets a turn while it has one");
    const auto most = integer_of(e.session.options, "max_turns");
    if (const auto number = integer_of(e.payload, "turn_number");
        most && number && *number > *most)
      e.report("max_turns_kept", "turn " + std::to_string(*number)
                                   + " begins, the scenario allows "
                                   + std::to_string(*most));
  } else if (e.is("MAPBroadcastSent")) {
    for (const auto who : texts_of(e.payload, "target_participants"))
      check_asked(e, who);
  } else if (e.is("MAPTurnCompleted")) {
    const auto who = text_of(e.payload, "participant_id");
    if (const auto found = busy_.find(who); found != busy_.end())
      busy_.erase(found);
    if (e.payload.contains("reply"))
      check_asked(e, who);
  }
}

void presence_check::check_duty(const checked_event& e) {
  const auto duty = text_of(e.payload, "duty");
  if (e.session.policy == "pair") {
    const bool known = duty == "driver" || duty == "navigator";
    const bool goes_on = e.payload.contains("handoff_id") == (duty == duty_);
    if (!known || (!goes_on && !may_repeat_))
      e.report("duties_alternate",
               "a turn as " + quote(duty) + " follows one as " + quote(duty_));
  }
  duty_ = duty;
  may_repeat_ = false;
}

void presence_check::check_asked(const checked_event& e,
                                 std::string_view who) const {
  const auto* person = e.session.find(who);
  const auto* const why = lost_.contains(who) ? "is lost"
                          : person != nullptr && !person->acts
                            ? "is of kind system"
                          : suspended_ ? "waits, the session is suspended"
                          : cancelled_ ? "waits, the session was cancelled"
                                       : nullptr;
  if (why != nullptr)
    e.report(vain_rule,
             std::string{e.type} + ": participant " + quote(who) + ' ' + why);
}

void presence_check::take_input(const checked_event& e) {
  const auto what = e.input();
  const auto who = text_of(e.payload, "participant_id");
  const auto wrong = [&](const char* why) {
    e.report(presence_rule, quote(what) + ": " + why);
  };
  if (what == "participant_down") {
    if (!lost_.emplace(who).second)
      wrong("the participant was lost before");
  } else if (what == "participant_up") {
    const auto found = lost_.find(who);
    if (found == lost_.end())
      return wrong("the participant was not lost");
    lost_.erase(found);
  } else if (what == "suspend" || what == "resume") {
    const bool suspends = what == "suspend";
    if (suspended_ == suspends)
      wrong(suspends ? "the session was suspended before"
                     : "the session was not suspended");
    suspended_ = suspends;
    may_repeat_ = true;
  } else if (what == "cancel") {
    cancelled_ = true;
  } else if (what == "message") {
    if (text_of(e.payload, "content").empty())
      wrong("it has no content");
  } else if (what == "decision" || what == "vote" || what == "escalation") {
    check_asked(e, who);
    if (!answered_.emplace(text_of(e.payload, "request_id")).second)
      wrong("the request was answered before");
  }
}

} // namespace convene::protocol
