#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/rollback_book.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;
using status = compensation_status;

tl::unexpected<error> refuse_rollback(std::string rule, std::string message) {
  return fail(errc::invalid_document, std::move(message), std::move(rule));
}

/// The step ids of an array of texts or of objects that have one.
std::vector<std::string> step_ids_of(const json::object& payload,
                                     std::string_view name) {
  std::vector<std::string> all;
  const auto* found = payload.if_contains(name);
  if (found == nullptr || !found->is_array())
    return all;
  for (const auto& each : found->get_array())
    if (const auto* step = each.if_object())
      all.emplace_back(text_of(*step, "step_id"));
    else if (each.is_string())
      all.emplace_back(each.get_string().c_str());
  return all;
}

std::vector<std::string> step_ids_of(const std::vector<compensation>& all) {
  std::vector<std::string> ids;
  for (const auto& each : all)
    ids.push_back(each.step_id);
  return ids;
}

} // namespace

bool rollback::compensated() const {
  return std::ranges::all_of(compensations, [](const compensation& each) {
    return each.status == status::completed;
  });
}

result<void> rollback_book::feed(const json::object& event) {
  using reader = result<void> (rollback_book::*)(const json::object&);
  static constexpr std::array<std::pair<std::string_view, reader>, 6> readers{{
    {"rollback_planned", &rollback_book::plan},
    {"rollback_continued", &rollback_book::go_on},
    {"compensation_ended", &rollback_book::end},
    {"rollback_failed", &rollback_book::fail_all},
    {"graph_rolled_back", &rollback_book::change_graph},
    {"rollback_executed", &rollback_book::execute},
  }};
  const auto type = text_of(event, "event_type");
  const auto* const found = std::ranges::find(
    readers, type, &std::pair<std::string_view, reader>::first);
  if (found == readers.end())
    return refuse_rollback("rollback_order",
                           quote(type) + " is no event of a rollback");
  const auto& payload = object_of(event, "payload");
  const bool begins = type == "rollback_planned";
  if (begins == open_.has_value())
    return refuse_rollback("rollback_order",
                           std::string{type}
                             + (begins ? " while another rollback is planned "
                                         "and not executed"
                                       : " and no rollback is planned"));
  if (open_ && text_of(payload, "compensation_id") != open_->compensation_id)
    return refuse_rollback("rollback_event",
                           "compensation_id is not that of the rollback that "
                           "is planned, "
                             + open_->compensation_id);
  auto done = (this->*found->second)(payload);
  if (done) {
    ++events_;
    time_ = text_of(event, "timestamp");
  }
  return done;
}

result<void> rollback_book::plan(const json::object& payload) {
  rollback made{.compensation_id
                = std::string{text_of(payload, "compensation_id")},
                .to = std::string{text_of(payload, "to")},
                .compensations = {}};
  const auto to = of_.place_of(made.to);
  if (made.compensation_id.empty() || !to || *to >= place_)
    return refuse_rollback("rollback_event",
                           made.compensation_id.empty()
                             ? "compensation_id is missing"
                             : "\"to\" is no stage before the one at which the "
                               "run stands: "
                                 + quote(made.to));
  made.compensations = compensations_for(of_, place_, *to);
  if (step_ids_of(payload, "steps") != step_ids_of(made.compensations))
    return refuse_rollback("rollback_steps",
                           "\"steps\" are not those that were completed behind "
                           "the stage and can be undone, the last one first");
  if (!made.compensations.empty())
    made.attempt = ++attempts_;
  ++planned_;
  open_ = std::move(made);
  return {};
}

result<void> rollback_book::end(const json::object& payload) {
  const auto id = text_of(payload, "step_id");
  auto& all = open_->compensations;
  const auto found = std::ranges::find(all, id, &compensation::step_id);
  const auto next = std::ranges::find(all, status::pending,
                                      &compensation::status);
  if (found == all.end())
    return refuse_rollback("rollback_event",
                           "no step of the rollback has the id " + quote(id));
  if (found->status != status::pending)
    return refuse_rollback("compensation_once", "the compensation of step "
                                                  + quote(id)
                                                  + " ended before");
  if (found != next || open_->has_failed
      || std::ranges::any_of(all.begin(), next, [](const compensation& each) {
           return each.status != status::completed;
         }))
    return refuse_rollback("rollback_order", "the compensation of step "
                                               + quote(id)
                                               + " is not the next one");
  const auto ended = from_word<status>(text_of(payload, "status"));
  if (!ended || *ended == status::pending)
    return refuse_rollback("rollback_event",
                           "\"status\" is not completed, failed or unknown");
  found->status = *ended;
  found->failure = {std::string{text_of(payload, "error_code")},
                    std::string{text_of(payload, "error_message")}};
  return {};
}

result<void> rollback_book::fail_all(const json::object& payload) {
  if (open_->compensated() || open_->has_failed || open_->graph_told)
    return refuse_rollback("rollback_order",
                           "rollback_failed, and no compensation has failed");
  std::vector<std::string> left;
  for (const auto& each : open_->compensations)
    if (each.status != status::completed)
      left.push_back(each.step_id);
  if (step_ids_of(payload, "steps") != left)
    return refuse_rollback("rollback_steps",
                           "\"steps\" are not those that remain to be undone");
  open_->has_failed = true;
  return {};
}

result<void> rollback_book::go_on(const json::object& payload) {
  if (!open_->has_failed)
    return refuse_rollback("rollback_order",
                           "rollback_continued, and it has not failed");
  const auto settled = step_ids_of(payload, "settled");
  for (auto& each : open_->compensations) {
    const bool counts = std::ranges::count(settled, each.step_id) != 0;
    if (counts && each.status != status::unknown)
      return refuse_rollback("rollback_event",
                             "the outcome of step " + quote(each.step_id)
                               + " is settled and was not unknown");
    if (counts)
      each.status = status::completed;
    else if (each.status != status::completed)
      each.status = status::pending;
  }
  if (!open_->compensated())
    open_->attempt = ++attempts_;
  open_->has_failed = false;
  return {};
}

result<void> rollback_book::change_graph(const json::object&) {
  if (!open_->compensated() || open_->has_failed || open_->graph_told)
    return refuse_rollback("rollback_order",
                           "graph_rolled_back before all compensations are "
                           "completed, or twice");
  open_->graph_told = true;
  return {};
}

result<void> rollback_book::execute(const json::object&) {
  if (!open_->graph_told)
    return refuse_rollback("rollback_order",
                           "rollback_executed before graph_rolled_back");
  place_ = of_.place_of(open_->to).value_or(place_);
  open_.reset();
  return {};
}

std::vector<compensation> compensations_for(const run_stages& of,
                                            std::size_t from, std::size_t to) {
  std::vector<compensation> all;
  for (auto i = std::min(from, of.completed().size()); i > to; --i) {
    const auto& step = of.completed()[i - 1];
    if (of.compensation_of(step.agent_role) != nullptr)
      all.push_back({.step_id = step.step_id,
                     .agent_role = step.agent_role,
                     .description = step.description});
  }
  return all;
}

std::vector<std::string>
without_compensation(const run_stages& of, std::size_t from, std::size_t to) {
  std::vector<std::string> all;
  for (auto i = std::min(from, of.completed().size()); i > to; --i) {
    const auto& step = of.completed()[i - 1];
    if (of.compensation_of(step.agent_role) == nullptr)
      all.push_back(step.step_id);
  }
  return all;
}

std::vector<compensation> outcomes_of(const rollback& what,
                                      const run_stages& attempt) {
  std::vector<compensation> all;
  for (const auto& each : what.compensations) {
    if (each.status != status::pending)
      continue;
    auto made = each;
    const auto failure = attempt.failures().find(each.step_id);
    if (attempt.place_of(each.step_id)) {
      made.status = status::completed;
    } else if (failure != attempt.failures().end()) {
      made.failure = failure->second;
      made.status = failure->second.code == "outcome_unknown" ? status::unknown
                                                              : status::failed;
    } else {
      continue; // never begun
    }
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace convene::session
