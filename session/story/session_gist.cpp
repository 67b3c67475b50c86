#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/story/session_gist.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace convene::session {
namespace {

using protocol::integer_of;
using protocol::object_of;
using protocol::text_of;
using protocol::texts_of;

constexpr std::size_t first_max = 6; // participants that a row has
constexpr std::size_t people_max = 64;
constexpr std::size_t shown_open_max = 64;
constexpr std::size_t id_bytes_max = 64;
constexpr std::size_t observed_bytes_max = 200;

constexpr std::array<std::string_view, 11> types{
  "MAPBroadcastReceived", "MAPBroadcastSent",    "MAPConflictDetected",
  "MAPRolesAssigned",     "MAPSessionCompleted", "MAPTurnCompleted",
  "MAPTurnDispatched",    "budget_exceeded",     "claim_refused",
  "usage_recorded",       "write_refused"};

std::string cut(std::string_view text, std::size_t bytes) {
  return std::string{protocol::cut_utf8(text, bytes)};
}

/// A member's text; of another value, its JSON.
std::string shown(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr || found->is_null())
    return {};
  return cut(found->is_string() ? std::string{found->get_string()}
                                : json::serialize(*found),
             observed_bytes_max);
}

char letter_of(std::string_view status) {
  return status == "failed"      ? 'f'
         : status == "timed_out" ? 't'
         : status == "declined"  ? 'd'
         : status == "cancelled" ? 'x'
                                 : 'c';
}

bool is_failure(char letter) {
  return letter == 'f' || letter == 't' || letter == 'd';
}

char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32)
                                        : letter;
}

} // namespace

bool has_in_any_case(std::string_view text, std::string_view part) {
  const auto found
    = std::search(text.begin(), text.end(), part.begin(), part.end(),
                  [](char a, char b) { return small(a) == small(b); });
  return found != text.end() || part.empty();
}

bool session_gist::concerns(std::string_view event_type) {
  return event_type == "session_input"
         || std::ranges::binary_search(types, event_type);
}

void session_gist::add(std::string_view type, const json::object& event) {
  const auto& payload = object_of(event, "payload");
  const auto who = text_of(payload, "participant_id");
  if (type == "MAPTurnDispatched") {
    ++turns_;
    open(who);
  } else if (type == "MAPTurnCompleted") {
    std::erase(open_, cut(who, id_bytes_max));
    take_answer(text_of(payload, "status"), true);
    take_usage(payload);
  } else if (type == "MAPBroadcastSent") {
    for (const auto each : texts_of(payload, "target_participants"))
      open(each);
  } else if (type == "MAPBroadcastReceived") {
    std::erase(open_,
               cut(text_of(payload, "receiver_participant"), id_bytes_max));
    const auto code = text_of(object_of(payload, "error"), "code");
    take_answer(protocol::is_unneeded_answer(code) ? "cancelled"
                                                   : text_of(payload, "status"),
                false);
    take_usage(payload);
  } else if (type == "session_input") {
    const auto input = text_of(payload, "input");
    const bool is_question = input.starts_with("decision")
                             || input.starts_with("vote")
                             || input.starts_with("escalation");
    if (is_question)
      take_usage(payload);
    failures_ += is_question
                     && (input.ends_with("timed_out")
                         || payload.contains("refused"))
                   ? 1U
                   : 0U;
  } else if (type == "usage_recorded") {
    tokens_ = integer_of(payload, "cumulative_tokens").value_or(tokens_);
    if (const auto* cost = payload.if_contains("cumulative_cost_usd");
        cost != nullptr && cost->is_number())
      cost_microusd_ = std::llround(cost->to_number<double>() * 1e6);
  } else if (type == "MAPConflictDetected") {
    ++conflicts_;
  } else if (type == "MAPRolesAssigned") {
    take_roles(payload);
  } else if (type == "MAPSessionCompleted") {
    take_end(payload);
  } else if (concerns(type)) {
    ++failures_; // something was refused
  }
}

void session_gist::open(std::string_view participant) {
  auto id = cut(participant, id_bytes_max);
  if (!id.empty() && open_.size() < shown_open_max
      && std::ranges::find(open_, id) == open_.end())
    open_.push_back(std::move(id));
}

void session_gist::take_answer(std::string_view status, bool is_turn) {
  const auto letter = letter_of(status);
  strip_.add(letter);
  if (!is_failure(letter))
    return;
  ++failures_;
  failed_turns_ += is_turn ? 1U : 0U;
}

/// What a reply says of its own usage.
void session_gist::take_usage(const json::object& payload) {
  const auto& usage = object_of(object_of(payload, "reply"), "usage");
  const auto of = [&usage](const char* name) {
    constexpr std::int64_t amount_max = std::int64_t{1} << 50U;
    return std::clamp<std::int64_t>(integer_of(usage, name).value_or(0), 0,
                                    amount_max);
  };
  constexpr std::int64_t sum_max = std::int64_t{1} << 60U;
  tokens_ = std::min(sum_max,
                     tokens_ + of("prompt_tokens") + of("completion_tokens"));
  cost_microusd_ = std::min(sum_max, cost_microusd_ + of("cost_microusd"));
}

void session_gist::take_roles(const json::object& payload) {
  const auto* found = payload.if_contains("assignments");
  const auto* list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr)
    return;
  participants_ = list->size();
  first_.clear();
  for (const auto& each : *list) {
    const auto* one = each.if_object();
    if (one == nullptr)
      continue;
    auto id = cut(text_of(*one, "participant_id"), id_bytes_max);
    const bool is_human = text_of(*one, "kind") == "human";
    if (is_human && people_.size() < people_max)
      people_.insert(id);
    if (first_.size() < first_max)
      first_.push_back({std::move(id), is_human});
  }
}

void session_gist::take_end(const json::object& payload) {
  has_end_ = true;
  open_.clear();
  const auto& usage = object_of(payload, "usage");
  tokens_ = integer_of(usage, "prompt_tokens").value_or(0)
            + integer_of(usage, "completion_tokens").value_or(0);
  cost_microusd_ = integer_of(usage, "cost_microusd").value_or(0);
  const auto& why = object_of(payload, "stop_reason");
  condition_ = shown(why, "condition");
  observed_ = shown(why, "observed");
  limit_ = integer_of(why, "limit");
}

bool session_gist::mentions(std::string_view text) const {
  return has_in_any_case(observed_, text) || has_in_any_case(condition_, text)
         || std::ranges::any_of(first_, [text](const listed& one) {
              return has_in_any_case(one.id, text);
            });
}

json::object session_gist::to_json() const {
  json::array first;
  for (const auto& one : first_)
    first.push_back(
      {{"participant_id", one.id}, {"kind", one.is_human ? "human" : "agent"}});
  json::array open;
  json::array waits_for;
  for (const auto& one : open_)
    (people_.contains(one) ? waits_for : open).emplace_back(one);
  json::value reason;
  if (has_end_) {
    json::object why{{"condition", condition_}, {"observed", observed_}};
    if (limit_)
      why["limit"] = *limit_;
    reason = std::move(why);
  }
  return {{"turns", turns_},
          {"failed_turns", failed_turns_},
          {"failures", failures_},
          {"conflicts", conflicts_},
          {"tokens", tokens_},
          {"cost_microusd", cost_microusd_},
          {"strip", strip_.text()},
          {"participants",
           {{"total", participants_}, {"first", std::move(first)}}},
          {"open", std::move(open)},
          {"waits_for", std::move(waits_for)},
          {"stop_reason", std::move(reason)}};
}

} // namespace convene::session
