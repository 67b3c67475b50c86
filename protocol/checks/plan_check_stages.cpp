// What the events of a plan's stages say around their payload.

#include <convene/protocol/base/words.hpp>
#include <convene/protocol/checks/plan_check.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>
#include <convene/protocol/lifecycle/status.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view stage_rule = "stage_matches";
constexpr std::string_view transition_rule = "step_transition_allowed";

/// The stage of a status; empty: there is no such status.
template <class Status>
std::string_view stage_of(std::string_view status) {
  const auto known = from_word<Status>(status);
  return known ? stage_word(*known) : std::string_view{};
}

void expect(const checked_event& e, const json::object& from,
            std::string_view member, std::string_view expected) {
  if (const auto is = text_of(from, member); is != expected)
    e.report(stage_rule, std::string{member} + " is " + quote(is)
                           + ", expected " + quote(expected));
}

} // namespace

void plan_check::check_stage(const checked_event& e) const {
  const auto id = text_of(e.payload, "resource_id");
  const auto to = text_of(e.payload, "to_status");
  const bool is_plan = e.is("plan_status_changed");
  expect(e, e.payload, "resource_type", is_plan ? "plan" : "step");
  if (!id_.empty())
    expect(e, e.whole, "pipeline_id", id_);
  expect(e, e.whole, "stage_id", is_plan ? "plan" : id);
  const auto stage = is_plan ? stage_of<plan_status>(to)
                             : stage_of<step_status>(to);
  if (!stage.empty())
    expect(e, e.whole, "stage_status", stage);
  const auto which = steps_.find(id);
  if (is_plan || which == steps_.end())
    return;
  expect(e, e.whole, "stage_name", summary_of(which->second.description));
  if (integer_of(e.whole, "stage_order") != which->second.order)
    e.report(stage_rule, "stage_order is not the step's place, "
                           + std::to_string(which->second.order));
}

void plan_check::move(const checked_event& e, std::string& status) const {
  const auto id = text_of(e.payload, "resource_id");
  const auto from = text_of(e.payload, "from_status");
  const auto to = text_of(e.payload, "to_status");
  // Creating is no move here, though the tables have it.
  const auto* table = from.empty()
                        ? nullptr
                        : find_lifecycle(e.is("plan_status_changed") ? "plan"
                                                                     : "step");
  if (status != from)
    e.report(transition_rule, quote(id) + " continues from " + quote(from)
                                + ", its status was " + quote(status));
  else if (table == nullptr || find_move(*table, from, to) == nullptr)
    e.report(transition_rule, "nothing like " + quote(id) + " goes from "
                                + quote(from) + " to " + quote(to));
  status = to;
}

void plan_check::confirm(const checked_event& e) {
  const auto id = text_of(e.payload, "resource_id");
  const auto to = text_of(e.payload, "to_status");
  expect(e, e.payload, "resource_type", "confirm");
  expect(e, e.whole, "pipeline_id", id);
  expect(e, e.whole, "stage_id", id);
  if (!id_.empty())
    expect(e, e.payload, "target_id", id_);
  if (const auto stage = stage_of<confirm_status>(to); !stage.empty())
    expect(e, e.whole, "stage_status", stage);
  const bool is_new = e.is("confirm_created");
  const auto known = confirms_.find(id);
  const auto from = text_of(e.payload, "from_status");
  if (is_new != (known == confirms_.end()))
    e.report("plan_needs_confirm",
             "confirm " + quote(id)
               + (is_new ? " was created before" : " was not created"));
  const auto was = known == confirms_.end() ? std::string{} : known->second;
  const auto* table = find_lifecycle("confirm");
  if (from != was || table == nullptr
      || (is_new ? to != "pending" : find_move(*table, from, to) == nullptr))
    e.report(transition_rule, "confirm " + quote(id) + " goes from "
                                + quote(from) + " to " + quote(to)
                                + ", its status was " + quote(was));
  confirms_[std::string{id}] = to;
  is_confirmed_ = to == "approved";
}

} // namespace convene::protocol
