// What a session's events say about broadcasts, conflicts, plans and steps.

#include <convene/protocol/base/words.hpp>
#include <convene/protocol/checks/session_check.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view broadcast_rule = "map_broadcast_has_receivers";
constexpr std::string_view order_rule = "conflict_detected_before_resolved";
constexpr std::string_view status_rule = "step_transition_allowed";

} // namespace

void session_check::broadcast(const json::object& payload,
                              const report_finding& report) {
  ++broadcasts_;
  const auto targets = texts_of(payload, "target_participants");
  const auto size = static_cast<std::int64_t>(targets.size());
  if (const auto count = integer_of(payload, "target_count");
      count && *count != size)
    report(broadcast_rule, "target_count is " + std::to_string(*count)
                             + ", target_participants has "
                             + std::to_string(size));
  std::set<std::string, std::less<>> open{targets.begin(), targets.end()};
  if (open.size() != targets.size())
    report(broadcast_rule, "a target participant is named twice");
  if (!open.empty())
    broadcasts_open_.insert_or_assign(
      std::string{text_of(payload, "broadcast_id")}, std::move(open));
}

void session_check::receive(const json::object& payload,
                            const report_finding& report) {
  const auto status = text_of(payload, "status");
  constexpr std::string_view known[]{"completed", "failed", "timed_out",
                                     "declined"};
  if (std::ranges::find(known, status) == std::end(known))
    report("broadcast_status_known", "no answer has status " + quote(status));
  const auto who = text_of(payload, "receiver_participant");
  const auto found = broadcasts_open_.find(text_of(payload, "broadcast_ref"));
  const bool waits = found != broadcasts_open_.end()
                     && found->second.contains(who);
  if (!waits)
    return report(broadcast_rule,
                  "no open broadcast waits for an answer of " + quote(who));
  found->second.erase(found->second.find(who));
  if (found->second.empty())
    broadcasts_open_.erase(found);
}

void session_check::detect(const json::object& payload,
                           const report_finding& report) {
  ++conflicts_;
  const auto id = text_of(payload, "conflict_id");
  if (!conflicts_seen_.emplace(id, false).second)
    report(order_rule, "conflict " + quote(id) + " was detected before");
}

void session_check::resolve(const json::object& payload,
                            const report_finding& report) {
  const auto id = text_of(payload, "conflict_id");
  const auto found = conflicts_seen_.find(id);
  if (found == conflicts_seen_.end())
    return report(order_rule,
                  "conflict " + quote(id) + " is resolved but not detected");
  if (found->second)
    report("conflict_resolved", "conflict " + quote(id) + " is resolved twice");
  found->second = true;
}

void session_check::remember_status(std::string_view member,
                                    const json::object& payload) {
  const auto& object = object_of(payload, member);
  const auto id = text_of(object, std::string{member} + "_id");
  const auto status = text_of(object, "status");
  if (!id.empty() && !status.empty())
    statuses_.insert_or_assign(std::string{id}, status);
}

void session_check::move_status(const json::object& payload,
                                const report_finding& report) {
  const auto resource = text_of(payload, "resource_type");
  const auto id = text_of(payload, "resource_id");
  const auto from = text_of(payload, "from_status");
  const auto to = text_of(payload, "to_status");
  const auto known = statuses_.find(id);
  // Creating is no move here, though the tables have it.
  const bool is_work = resource == "plan" || resource == "step";
  const auto* table = is_work && !from.empty() ? find_lifecycle(resource)
                                               : nullptr;
  if (known != statuses_.end() && known->second != from)
    report(status_rule, quote(id) + " goes on from " + quote(from)
                          + ", its status was " + quote(known->second));
  else if (table == nullptr || find_move(*table, from, to) == nullptr)
    report(status_rule, "no " + quote(resource) + " goes from " + quote(from)
                          + " to " + quote(to));
  statuses_.insert_or_assign(std::string{id}, to);
}

} // namespace convene::protocol
