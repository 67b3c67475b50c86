#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
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
  for (const auto& each : protocol::items_of(payload, name))
    if (const auto* step = each.if_object())
      all.emplace_back(text_of(*step, "step_id"));
    else if (each.is_string())
      all.emplace_back(std::string_view{each.get_string()});
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
    {"rollback_continued", &rollback_book::take_continued},
    {"compensation_ended", &rollback_book::take_ended},
    {"rollback_failed", &rollback_book::take_failed},
    {"graph_rolled_back", &rollback_book::change_graph},
    {"rollback_executed", &rollback_book::execute},
  }};
  const auto type = text_of(event, "event_type");
  const auto* const found = std::ranges::find(
    readers, type, &std::pair<std::string_view, reader>::first);
  if (found == readers.end())
    return refuse_rollback("rollback_order",
                           quote(type) + " is not an event of a rollback");
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
    return refuse_rollback(
      "rollback_event", made.compensation_id.empty()
                          ? "compensation_id is missing"
                          : "\"to\" is not a stage before the one at which the "
                            "run stands: "
                              + quote(made.to));
  made.compensations = compensations_for(of_, place_, *to);
  if (step_ids_of(payload, "steps") != step_ids_of(made.compensations))
    return refuse_rollback("rollback_steps",
                           "\"steps\" are not those that were completed after "
                           "the stage and can be undone, the last one first");
  if (!made.compensations.empty())
    made.attempt = ++attempts_;
  ++planned_;
  next_ = 0;
  open_ = std::move(made);
  return {};
}

const compensation* rollback_book::next() const {
  return open_ && next_ < open_->compensations.size()
           ? &open_->compensations[next_]
           : nullptr;
}

result<void> rollback_book::take_ended(const json::object& payload) {
  const auto id = text_of(payload, "step_id");
  auto& all = open_->compensations;
  if (next() == nullptr || next()->step_id != id) {
    const auto found = std::ranges::find(all, id, &compensation::step_id);
    if (found == all.end())
      return refuse_rollback("rollback_event",
                             "no step of the rollback has the id " + quote(id));
    if (found->status == status::completed)
      return refuse_rollback("compensation_once", "the compensation of step "
                                                    + quote(id)
                                                    + " ended before");
  }
  if (next()->step_id != id || next()->status != status::pending
      || open_->has_failed)
    return refuse_rollback("rollback_order", "the compensation of step "
                                               + quote(id)
                                               + " is not the next one");
  const auto ended = from_word<status>(text_of(payload, "status"));
  if (!ended || *ended == status::pending)
    return refuse_rollback("rollback_event",
                           "\"status\" is not completed, failed or unknown");
  auto& which = all[next_];
  which.status = *ended;
  which.failure = {std::string{text_of(payload, "error_code")},
                   std::string{text_of(payload, "error_message")}};
  if (*ended == status::completed)
    ++next_;
  return {};
}

result<void> rollback_book::take_failed(const json::object& payload) {
  if (next() == nullptr || open_->has_failed)
    return refuse_rollback("rollback_order",
                           "rollback_failed, and no compensation has failed");
  std::vector<std::string> left;
  for (auto i = next_; i < open_->compensations.size(); ++i)
    left.push_back(open_->compensations[i].step_id);
  if (step_ids_of(payload, "steps") != left)
    return refuse_rollback("rollback_steps",
                           "\"steps\" are not those that remain to be undone");
  open_->has_failed = true;
  return {};
}

result<void> rollback_book::take_continued(const json::object& payload) {
  if (!open_->has_failed)
    return refuse_rollback("rollback_order",
                           "rollback_continued, and it has not failed");
  auto& first = open_->compensations[next_];
  for (const auto& id : step_ids_of(payload, "settled")) {
    if (id != first.step_id || first.status != status::unknown)
      return refuse_rollback("rollback_event",
                             "the outcome of step " + quote(id)
                               + " is settled and was not unknown");
    first.status = status::completed;
  }
  if (first.status == status::completed)
    ++next_;
  else
    first.status = status::pending;
  if (next() != nullptr)
    open_->attempt = ++attempts_;
  open_->has_failed = false;
  return {};
}

result<void> rollback_book::change_graph(const json::object&) {
  if (next() != nullptr || open_->graph_told)
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

rollback next_rollback(const run_stages& of, const rollback_book& book,
                       std::string to) {
  constexpr std::uint64_t compensation_space = 0x636f6d70;
  rollback made{.compensation_id = to_string(derive_uuid(
                  hashed_uuid(of.sa_id()), compensation_space, book.planned())),
                .to = std::move(to),
                .compensations = {}};
  made.compensations = compensations_for(
    of, book.place(), of.place_of(made.to).value_or(book.place()));
  if (!made.compensations.empty())
    made.attempt = book.attempts() + 1;
  return made;
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

std::optional<compensation> outcome_of(const compensation& which,
                                       const run_stages& attempt) {
  auto made = which;
  const auto failure = attempt.failures().find(which.step_id);
  if (attempt.place_of(which.step_id)) {
    made.status = status::completed;
  } else if (failure != attempt.failures().end()) {
    made.failure = failure->second;
    made.status = failure->second.code == "outcome_unknown" ? status::unknown
                                                            : status::failed;
  } else {
    return std::nullopt;
  }
  return made;
}

std::vector<std::string> settled_in(const json::object& event) {
  return step_ids_of(object_of(event, "payload"), "settled");
}

} // namespace convene::session
