#include <convene/protocol/checks/action_check.hpp>
#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/json/same_value.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view end_rule = "actions_end_once";
constexpr std::string_view request_rule = "actions_need_request";
constexpr std::string_view attempt_rule = "attempts_count_up";

std::string named(const checked_event& e) {
  return "the action at " + quote(text_of(e.payload, "position"));
}

bool flag_of(const json::object& from, std::string_view name) {
  const auto* member = from.if_contains(name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

json::value value_of(const json::object& from, std::string_view name) {
  const auto* member = from.if_contains(name);
  return member == nullptr ? json::value{} : *member;
}

} // namespace

void action_check::feed(const checked_event& e) {
  if (e.is("action_started")) {
    start(e);
  } else if (e.is("action_ended")) {
    end(e);
  } else if (e.is("MAPTurnDispatched")) {
    asked_[{std::string{text_of(e.payload, "participant_id")},
            std::string{text_of(e.payload, "token_id")}}]
      = integer_of(e.payload, "turn_number");
  } else if (e.is("MAPBroadcastSent")) {
    for (const auto who : texts_of(e.payload, "target_participants"))
      asked_[{std::string{who},
              std::string{text_of(e.payload, "broadcast_id")}}]
        = std::nullopt;
  } else if (e.is("MAPTurnCompleted")) {
    close(e, text_of(e.payload, "participant_id"),
          text_of(e.payload, "token_id"));
  } else if (e.is("MAPBroadcastReceived")) {
    close(e, text_of(e.payload, "receiver_participant"),
          text_of(e.payload, "broadcast_ref"));
  } else if (const auto token = text_of(e.payload, "request_id");
             !e.input().empty() && !token.empty()) {
    answered_.emplace(token);
    close(e, text_of(e.payload, "participant_id"), token);
  } else if (e.input() == "suspend") {
    suspend();
  } else if (e.input() == "forked") {
    bar_repeats();
  } else if (e.is("MAPSessionCompleted")) {
    while (!requests_.empty())
      close(e, requests_.begin());
  }
}

void action_check::start(const checked_event& e) {
  const request_name name{std::string{text_of(e.payload, "participant_id")},
                          std::string{text_of(e.payload, "token_id")}};
  check_request(e, name);
  const std::string position{text_of(e.payload, "position")};
  const auto kind = text_of(e.payload, "kind");
  if (const auto known = from_word<action_kind>(kind);
      !known || executor_of(*known) != text_of(e.whole, "executor_kind")
      || text_of(e.whole, "status") != "running")
    e.report(end_rule, named(e) + " of kind " + quote(kind)
                         + " has another executor_kind, or another status than "
                           "running");
  auto& in = requests_[name];
  const auto before = in.actions.find(position);
  const auto left = left_.find(name.first);
  const auto* known = before != in.actions.end() ? &before->second : nullptr;
  // The first attempt may follow those of a request that was suspended.
  if (known == nullptr && integer_of(e.payload, "attempt") != 1
      && left != left_.end())
    if (const auto earlier = left->second.find(position);
        earlier != left->second.end())
      known = &earlier->second;
  check_attempt(e, known);
  const auto number = integer_of(e.payload, "attempt").value_or(0);
  in.actions.insert_or_assign(
    position, known_action{.kind = std::string{kind},
                           .name = std::string{text_of(e.payload, "name")},
                           .arguments = value_of(e.payload, "arguments"),
                           .attempt = number,
                           .repeatable = flag_of(e.payload, "repeatable")});
  if (!in.open
         .emplace(text_of(e.whole, "execution_id"),
                  attempt{position, number,
                          std::string{text_of(e.whole, "executor_kind")}, e.at})
         .second)
    e.report(end_rule, named(e) + " starts again with the same execution_id");
}

void action_check::check_request(const checked_event& e,
                                 const request_name& name) const {
  const auto found = asked_.find(name);
  const auto turn = integer_of(e.payload, "turn_number");
  // A decision or a question is on the log only once it is answered.
  const bool fits = found == asked_.end()
                      ? !turn && !answered_.contains(name.second)
                      : turn == found->second;
  if (!fits)
    e.report(request_rule, named(e) + " starts in a request that participant "
                             + quote(name.first) + " does not have");
}

void action_check::check_attempt(const checked_event& e,
                                 const known_action* before) {
  const auto number = integer_of(e.payload, "attempt");
  const auto expected = before == nullptr ? 1 : before->attempt + 1;
  if (number && *number != expected)
    e.report(attempt_rule, named(e) + " has attempt " + std::to_string(*number)
                             + ", expected " + std::to_string(expected));
  if (before == nullptr)
    return;
  if (before->kind != text_of(e.payload, "kind")
      || before->name != text_of(e.payload, "name")
      || !same_value(before->arguments, value_of(e.payload, "arguments"))
      || before->repeatable != flag_of(e.payload, "repeatable"))
    e.report(attempt_rule, named(e) + " is another one than before");
  if (before->completed)
    e.report(attempt_rule, named(e) + " had completed before");
  if (!before->ended && !before->repeatable)
    e.report(attempt_rule, named(e)
                             + " is not repeatable, and the result of "
                               "it before is unknown");
}

void action_check::end(const checked_event& e) {
  const auto request
    = requests_.find({std::string{text_of(e.payload, "participant_id")},
                      std::string{text_of(e.payload, "token_id")}});
  const auto id = text_of(e.whole, "execution_id");
  if (request == requests_.end() || !request->second.open.contains(id))
    return e.report(end_rule, named(e) + " ends but is not under way");
  auto& in = request->second;
  const auto began = in.open.extract(in.open.find(id));
  check_end(e, began.mapped());
  const auto known = in.actions.find(began.mapped().position);
  if (known == in.actions.end()
      || known->second.attempt != began.mapped().number
      || !e.payload.contains("input"))
    return;
  known->second.ended = true;
  known->second.completed = text_of(object_of(e.payload, "result"), "status")
                            == "completed";
}

void action_check::check_end(const checked_event& e, const attempt& began) {
  if (text_of(e.payload, "position") != began.position
      || integer_of(e.payload, "attempt") != began.number
      || text_of(e.whole, "executor_kind") != began.executor_kind)
    e.report(end_rule, named(e) + " ends as another attempt than it started");
  const auto& result = object_of(e.payload, "result");
  const auto status = text_of(result, "status");
  if (const auto known = from_word<action_status>(status);
      !known || execution_status_of(*known) != text_of(e.whole, "status"))
    e.report(end_rule, named(e) + " has another status than its result");
  const bool by_machine = !e.payload.contains("input");
  if (status == "completed" ? result.contains("error")
                            : by_machine && !result.contains("error"))
    e.report(end_rule, named(e) + " has an error and completed, or neither");
  if (by_machine && status != "cancelled")
    e.report(end_rule, named(e) + " ends as " + quote(status)
                         + ", and its participant has not said so");
  const auto took = integer_of(e.payload, "duration_ms");
  if (took && e.at && began.begun_at && *took != *e.at - *began.begun_at)
    e.report(end_rule, "duration_ms is " + std::to_string(*took) + ", "
                         + std::to_string(*e.at - *began.begun_at)
                         + " ms have passed");
}

void action_check::close(const checked_event& e, std::string_view who,
                         std::string_view token) {
  const request_name name{std::string{who}, std::string{token}};
  asked_.erase(name);
  if (const auto found = requests_.find(name); found != requests_.end())
    close(e, found);
}

void action_check::close(const checked_event& e,
                         std::map<request_name, request>::iterator at) {
  for (const auto& [id, open] : at->second.open)
    e.report(end_rule, "the action at " + quote(open.position)
                         + " has not ended, and its request closes");
  requests_.erase(at);
}

/// Requests of later turns may take these up.
void action_check::suspend() {
  for (const auto& [name, in] : requests_)
    for (const auto& [position, each] : in.actions)
      left_[name.first].insert_or_assign(position, each);
}

/// The recorded session waits for what has not ended.
void action_check::bar_repeats() {
  const auto bar = [](known_actions& all) {
    for (auto& [position, each] : all)
      each.repeatable = each.repeatable && each.ended;
  };
  for (auto& [name, in] : requests_)
    bar(in.actions);
  for (auto& [who, all] : left_)
    bar(all);
}

} // namespace convene::protocol
