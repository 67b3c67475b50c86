#include <convene/protocol/checks/usage_check.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view recorded_rule = "usage_recorded";

usage usage_in(const json::object& from) {
  const auto& what = object_of(from, "usage");
  return {.prompt_tokens = integer_of(what, "prompt_tokens").value_or(0),
          .completion_tokens
          = integer_of(what, "completion_tokens").value_or(0),
          .cost_microusd = integer_of(what, "cost_microusd").value_or(0)};
}

bool is_of_cost(const checked_event& e) {
  return e.is("usage_recorded") || e.is("budget_exceeded");
}

std::optional<std::int64_t> left_of(const std::optional<std::int64_t>& most,
                                    std::int64_t used) {
  if (!most)
    return std::nullopt;
  return used < *most ? *most - used : 0;
}

/// Whether it has reached the limit just now.
bool is_crossed(const std::optional<std::int64_t>& limit, std::int64_t before,
                std::int64_t now) {
  return limit && before < *limit && now >= *limit;
}

} // namespace

void usage_check::feed(const checked_event& e) {
  check_recorded(e);
  const auto& payload = e.payload;
  if (e.is("MAPSessionStarted")) {
    const auto& options = object_of(object_of(payload, "spec"), "session");
    const auto& budget = object_of(options, "budget");
    tokens_ = integer_of(budget, "tokens");
    cost_microusd_ = integer_of(budget, "cost_microusd");
  } else if (e.answers() || e.is("session_input")) {
    total_ = total_ + usage_in(object_of(payload, "reply"));
  } else if (e.is("action_ended")) {
    end_action(e);
  } else if ((e.is("MAPTurnDispatched") || e.is("MAPBroadcastSent")
              || e.is("action_started"))
             && is_used_up()) {
    e.report("budget_kept",
             "someone is asked, or acts, although the session has used "
               + std::to_string(total_tokens(total_)) + " tokens and "
               + std::to_string(total_.cost_microusd)
               + " micro-dollars of its budget");
  } else if (e.is("MAPSessionCompleted") && usage_in(payload) != total_) {
    e.report("usage_matches",
             "usage is not the sum of what replies and actions used: "
               + std::to_string(total_tokens(total_)) + " tokens and "
               + std::to_string(total_.cost_microusd) + " micro-dollars");
  }
  if (e.is("action_started") && text_of(payload, "kind") == "model")
    models_.insert_or_assign(std::string{text_of(e.whole, "execution_id")},
                             text_of(payload, "name"));
}

/// An event of the family cost_budget is there where one must be.
void usage_check::check_recorded(const checked_event& e) {
  if (expected_.empty()) {
    if (is_of_cost(e))
      e.report(recorded_rule, "no action that used anything has ended just "
                              "before "
                                + std::string{e.type});
    return;
  }
  auto next = std::move(expected_.back());
  expected_.pop_back();
  if (!e.is(next.type)) {
    expected_.clear();
    return e.report(recorded_rule, next.type
                                     + " is missing behind the action that "
                                       "ended");
  }
  for (const auto& [name, value] : next.payload)
    if (const auto* is = e.payload.if_contains(name);
        is == nullptr || !same_value(*is, value))
      return e.report(recorded_rule, std::string{name} + " is not "
                                       + shorten_value(value)
                                       + ", as the events before give it");
  if (e.payload.object().size() != next.payload.size())
    e.report(recorded_rule, "it says more than the events before give");
}

void usage_check::end_action(const checked_event& e) {
  const auto model
    = models_.extract(std::string{text_of(e.whole, "execution_id")});
  const auto used = usage_in(object_of(e.payload, "result"));
  if (used == usage{})
    return;
  const auto before = std::exchange(total_, total_ + used);
  const action_attempt attempt{
    .execution_id = uuid_of(e.whole, "execution_id").value_or(uuid{}),
    .who = {.participant_id = text_of(e.payload, "participant_id"),
            .role_id = text_of(e.whole, "executor_role")},
    .token_id = uuid_of(e.payload, "token_id").value_or(uuid{}),
    .turn_number = static_cast<std::uint32_t>(
      integer_of(e.payload, "turn_number").value_or(0)),
    .position = text_of(e.payload, "position")};
  const auto tokens = total_tokens(total_);
  const auto money = total_.cost_microusd;
  expect(usage_recorded{.attempt = attempt,
                        .model = model ? std::string_view{model.mapped()}
                                       : std::string_view{},
                        .used = used,
                        .total = total_,
                        .tokens_left = left_of(tokens_, tokens),
                        .microusd_left = left_of(cost_microusd_, money)});
  if (is_crossed(tokens_, total_tokens(before), tokens))
    expect(budget_exceeded{.attempt = attempt,
                           .budget = "tokens",
                           .used = tokens,
                           .limit = *tokens_});
  if (is_crossed(cost_microusd_, before.cost_microusd, money))
    expect(budget_exceeded{.attempt = attempt,
                           .budget = "cost_microusd",
                           .used = money,
                           .limit = *cost_microusd_});
  std::ranges::reverse(expected_);
}

template <class Event>
void usage_check::expect(const Event& event) {
  byte_buffer line;
  encode(line, event_head{}, event);
  if (const auto made = parse_json(line.view()); made && made->is_object())
    expected_.push_back({std::string{text_of(made->get_object(), "event_type")},
                         object_of(made->get_object(), "payload")});
}

bool usage_check::is_used_up() const {
  return (tokens_ && total_tokens(total_) >= *tokens_)
         || (cost_microusd_ && total_.cost_microusd >= *cost_microusd_);
}

} // namespace convene::protocol
