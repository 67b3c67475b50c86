#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace convene::session {
namespace {

using protocol::reply;
using protocol::reply_error;
using fault = std::optional<reply_error>;

/// How deep the values in a reply may nest.
constexpr int depth_max = 64;

constexpr std::size_t reason_bytes_max = 4096;

reply_error too_many(std::string_view code, std::string_view what,
                     std::size_t count, std::size_t max) {
  return {std::string{code}, "the reply has " + std::to_string(count) + " "
                               + std::string{what} + "; at most "
                               + std::to_string(max) + " are allowed"};
}

void clean(std::string& text) {
  if (!protocol::valid_utf8(text))
    text = protocol::sanitize_utf8(std::move(text));
}

/// Every text of a reply that is not inside a JSON value.
template <class Visit>
void for_each_text(reply& what, Visit visit) {
  visit(what.content);
  visit(what.error.code);
  visit(what.error.message);
  for (auto& w : what.writes) {
    visit(w.resource_type);
    visit(w.resource_id);
  }
  for (auto& c : what.claim) {
    visit(c.resource_type);
    visit(c.resource_id);
    visit(c.to);
  }
  if (what.handoff) {
    visit(what.handoff->to);
    visit(what.handoff->instructions);
    visit(what.handoff->reason);
  }
  if (what.vote) {
    visit(what.vote->conflict_id);
    visit(what.vote->in_favour_of);
  }
  for (auto& t : what.tasks) {
    visit(t.title);
    visit(t.description);
    visit(t.role);
    std::ranges::for_each(t.resources, visit);
  }
  std::ranges::for_each(what.reasoning, visit);
  for (auto& d : what.decision) {
    if (auto* to = std::get_if<protocol::dispatch_decision>(&d)) {
      visit(to->participant);
      visit(to->role);
      visit(to->task);
      visit(to->step_id);
      if (to->resources)
        for (auto& r : *to->resources) {
          visit(r.resource_type);
          visit(r.resource_id);
        }
    } else if (auto* all = std::get_if<protocol::broadcast_decision>(&d)) {
      visit(all->task);
    } else if (auto* step = std::get_if<protocol::close_step_decision>(&d)) {
      visit(step->step_id);
      visit(step->reason);
    } else if (auto* end = std::get_if<protocol::complete_decision>(&d)) {
      visit(end->reason);
    } else if (auto* hand = std::get_if<protocol::handoff>(&d)) {
      visit(hand->to);
      visit(hand->instructions);
      visit(hand->reason);
    } else if (auto* asks = std::get_if<protocol::ask_decision>(&d)) {
      visit(asks->participant);
      visit(asks->task);
    }
  }
}

/// Also counts about as many bytes as the value's text has.
fault check(const protocol::json::value& value, int depth_left,
            std::size_t& bytes) {
  constexpr std::size_t punctuation = 3;
  const auto invalid = [&bytes](std::string_view text) {
    bytes += text.size() + punctuation;
    return !protocol::valid_utf8(text);
  };
  const reply_error not_utf8{"invalid_utf8",
                             "a value in the reply is not UTF-8"};
  bytes += punctuation;
  if (depth_left == 0)
    return reply_error{"reply_depth_max",
                       "a value in the reply nests deeper than "
                         + std::to_string(depth_max)};
  if (const auto* number = value.if_double();
      number != nullptr && !std::isfinite(*number))
    return reply_error{"number_range", "a number in the reply is not finite"};
  if (const auto* object = value.if_object())
    for (const auto& [name, member] : *object) {
      if (invalid(name))
        return not_utf8;
      if (auto found = check(member, depth_left - 1, bytes))
        return found;
    }
  if (const auto* array = value.if_array())
    for (const auto& element : *array)
      if (auto found = check(element, depth_left - 1, bytes))
        return found;
  if (const auto* text = value.if_string(); text != nullptr && invalid(*text))
    return not_utf8;
  return std::nullopt;
}

/// The rules of the reply codec for writes.
fault check(const protocol::resource_write& what, std::size_t& bytes) {
  if (what.resource_type.empty() || what.resource_id.empty())
    return reply_error{"invalid_write",
                       "a write names a resource_type and a resource_id"};
  if (what.base_version < 0)
    return reply_error{"invalid_write", "a base_version is 0 or above"};
  return check(what.value, depth_max, bytes);
}

/// The rules of the reply codec for decisions.
fault check(const protocol::decision& what) {
  if (const auto* to = std::get_if<protocol::dispatch_decision>(&what)) {
    if (!to->participant.empty() && !to->role.empty())
      return reply_error{"invalid_decision",
                         "dispatch names either a participant or a role"};
    if (to->participant.empty() && to->role.empty() && to->step_id.empty())
      return reply_error{"invalid_decision",
                         "dispatch names a participant, a role or a step_id"};
    if (!to->resources)
      return std::nullopt;
    if (to->resources->size() > protocol::dispatch_resources_max)
      return too_many("resources_per_dispatch_max", "resources",
                      to->resources->size(), protocol::dispatch_resources_max);
    for (const auto& r : *to->resources)
      if (r.resource_type.empty() || r.resource_id.empty())
        return reply_error{"invalid_decision",
                           "a resource has a resource_type and a resource_id"};
  } else if (const auto* step
             = std::get_if<protocol::close_step_decision>(&what)) {
    if (step->step_id.empty())
      return reply_error{"invalid_decision", "close_step names a step_id"};
  } else if (const auto* hand = std::get_if<protocol::handoff>(&what)) {
    if (hand->to.empty())
      return reply_error{"invalid_decision", "handoff names to whom"};
  } else if (const auto* asks = std::get_if<protocol::ask_decision>(&what)) {
    if (asks->task.empty())
      return reply_error{"invalid_decision", "ask has a task"};
  }
  return std::nullopt;
}

fault take_fault(reply& what) {
  if (const auto n = what.writes.size(); n > protocol::reply_writes_max)
    return too_many("writes_per_reply_max", "writes", n,
                    protocol::reply_writes_max);
  if (const auto n = what.claim.size(); n > protocol::reply_claims_max)
    return too_many("claims_per_reply_max", "claims", n,
                    protocol::reply_claims_max);
  if (const auto n = what.tasks.size(); n > tasks_per_reply_max)
    return too_many("tasks_per_reply_max", "tasks", n, tasks_per_reply_max);
  if (const auto n = what.decision.size(); n > protocol::reply_decisions_max)
    return too_many("decisions_per_reply_max", "decisions", n,
                    protocol::reply_decisions_max);
  if (const auto n = what.reasoning.size(); n > protocol::reply_reasoning_max)
    return too_many("reasoning_max", "reasons", n,
                    protocol::reply_reasoning_max);
  std::size_t bytes = 0;
  for_each_text(what, [&](std::string& text) {
    if (text.empty())
      return;
    clean(text);
    bytes += text.size();
  });
  for (const auto& t : what.tasks)
    if (t.title.empty())
      return reply_error{"task_title_required", "a task needs a title"};
  for (const auto& c : what.claim) {
    if (c.resource_type.empty() || c.resource_id.empty())
      return reply_error{"invalid_claim",
                         "a claim names a resource_type and a resource_id"};
    if (what.claim_all && (c.release || !c.to.empty()))
      return reply_error{"invalid_claim",
                         "with claim_all everything is taken: release and hand "
                         "over claims in another reply"};
  }
  if (what.vote
      && (what.vote->conflict_id.empty() || what.vote->in_favour_of.empty()))
    return reply_error{"invalid_vote",
                       "a vote names a conflict_id and whom it is for"};
  for (const auto& w : what.writes)
    if (auto found = check(w, bytes))
      return found;
  for (const auto& d : what.decision)
    if (auto found = check(d))
      return found;
  if (what.handoff && what.handoff->to.empty())
    return reply_error{"invalid_handoff", "a handoff names to whom"};
  if (!what.result.empty())
    if (auto found = check(what.result, depth_max, bytes))
      return found;
  if (bytes > message_bytes_max)
    return too_many("message_bytes_max", "bytes", bytes, message_bytes_max);
  return std::nullopt;
}

} // namespace

void normalise(reply& what) {
  constexpr std::int64_t least = 0;
  auto& u = what.usage;
  u.prompt_tokens = std::max(u.prompt_tokens, least);
  u.completion_tokens = std::max(u.completion_tokens, least);
  u.cost_microusd = std::max(u.cost_microusd, least);
  if (auto found = take_fault(what))
    what = {.status = protocol::reply_status::failed,
            .usage = what.usage,
            .error = *std::move(found)};
}

void normalise_reason(std::string& reason) {
  clean(reason);
  reason.resize(protocol::cut_utf8(reason, reason_bytes_max).size());
}

} // namespace convene::session
