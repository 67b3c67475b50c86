#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/actions/accounting.hpp>
#include <convene/session/actions/action_book.hpp>
#include <convene/session/spec/normalise_action.hpp>
#include <convene/session/workspace/size.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

using protocol::action_status;

/// About as many bytes as its text has, wherever that is kept.
std::uint64_t bytes_of(const protocol::json::value& what) {
  const auto beside = protocol::blob_in(what);
  return beside ? std::min(beside->bytes, action_book::request_bytes_max + 1)
                : measure(what).bytes;
}

/// Of `request_actions`, const or not.
auto* find_action(auto& in, std::string_view position) {
  const auto found
    = std::ranges::find(in.recorded.all, position, [](const auto& each) {
        return std::string_view{each.what.position};
      });
  return found == in.recorded.all.end() ? nullptr : &*found;
}

bool is_same(const protocol::action& a, const protocol::action& b) {
  return a.kind == b.kind && a.name == b.name
         && protocol::same_value(a.arguments, b.arguments);
}

/// Why this attempt may not begin, whatever it would cost; empty: it may.
std::string_view why_not(const request_actions& in,
                         const recorded_action* before,
                         const protocol::action& what, std::uint32_t attempt) {
  if (before != nullptr && !is_same(before->what, what))
    return "action_changed";
  if (attempt != (before != nullptr ? before->attempt : 0) + 1)
    return "attempt_out_of_order";
  if (before != nullptr && before->ended
      && before->result.status == action_status::completed)
    return "action_completed";
  if (before != nullptr && !before->ended && !before->what.repeatable)
    return "outcome_unknown";
  if (in.attempts >= actions_max)
    return "actions_max";
  if (in.bytes > action_book::request_bytes_max)
    return "actions_bytes_max";
  return {};
}

} // namespace

void action_book::begin(const held_request& of, std::uint32_t turn_number,
                        protocol::action&& what, std::uint32_t attempt,
                        bool may_spend) {
  static const request_actions none;
  if (const auto code = normalise(what); !code.empty())
    return refuse(of, std::move(what.position), code);
  const auto found = requests_.find(of);
  auto* before = found == requests_.end()
                   ? nullptr
                   : find_action(found->second, what.position);
  auto code = why_not(found == requests_.end() ? none : found->second, before,
                      what, attempt);
  if (code.empty() && !may_spend)
    code = "budget_exhausted";
  if (!code.empty())
    return refuse(of, std::move(what.position), code);
  remember(of);
  auto& in = requests_[of];
  if (in.recorded.first_token.is_nil())
    in.recorded.first_token = of.token;
  in.turn_number = turn_number;
  if (before == nullptr) {
    in.bytes += bytes_of(what.arguments);
    before
      = &in.recorded.all.emplace_back(recorded_action{.what = std::move(what)});
  }
  start(of, in, *before);
}

/// One that is still under way at the same position ends: its participant has
/// forgotten it.
void action_book::start(const held_request& of, request_actions& in,
                        recorded_action& what) {
  ++in.attempts;
  ++what.attempt;
  what.ended = false;
  what.result = {};
  const open_attempt next{.position = what.what.position,
                          .kind = what.what.kind,
                          .number = what.attempt,
                          .execution_id = log_->next_id(),
                          .begun_at = log_->now()};
  log_->append(protocol::action_started{.attempt = name_of(of, in, next),
                                        .what = &what.what});
  const auto forgotten = std::ranges::find(in.open, next.position,
                                           &open_attempt::position);
  if (forgotten != in.open.end()) {
    cancel(of, in, *forgotten, "begun_again");
    in.open.erase(forgotten);
  }
  in.open.push_back(next);
  log_->notify({.to = of.who,
                .token = of.token,
                .what = "action_started",
                .position = what.what.position,
                .when_durable = !what.what.repeatable});
}

void action_book::refuse(const held_request& of, std::string position,
                         std::string_view code) {
  ++log_->counts().refused;
  log_->notify({.to = of.who,
                .token = of.token,
                .what = "action_refused",
                .reason = std::string{code},
                .position = std::move(position)});
}

void action_book::end(const held_request& of, std::string_view position,
                      std::uint32_t attempt, protocol::action_result&& result) {
  const auto found = requests_.find(of);
  const auto is_meant = [&](const open_attempt& each) {
    return each.position == position && each.number == attempt;
  };
  if (found == requests_.end()
      || std::ranges::none_of(found->second.open, is_meant)) {
    ++log_->counts().refused;
    return;
  }
  remember(of);
  auto& in = found->second;
  const auto at = std::ranges::find_if(in.open, is_meant);
  normalise(result);
  auto& what = *find_action(in, position);
  log_end(of, in, *at, result, true);
  account(*log_, *most_, of.who, name_of(of, in, *at),
          at->kind == protocol::action_kind::model ? what.what.name
                                                   : std::string_view{},
          result.usage);
  in.open.erase(at);
  for (auto* sum : {&in.usage, &unsettled_})
    *sum = *sum + result.usage;
  in.bytes += bytes_of(result.output);
  what.ended = true;
  what.result = std::move(result);
}

void action_book::log_end(const held_request& of, const request_actions& in,
                          const open_attempt& at,
                          const protocol::action_result& result, bool input) {
  std::string digest;
  if (digests_)
    if (const auto* what = find_action(in, at.position))
      digest = protocol::digest_of(what->what, result);
  log_->append(protocol::action_ended{.attempt = name_of(of, in, at),
                                      .result = &result,
                                      .duration_ms = log_->now() - at.begun_at,
                                      .sha256 = digest,
                                      .input = input});
}

void action_book::cancel(const held_request& of, const request_actions& in,
                         const open_attempt& at, std::string_view code) {
  const protocol::action_result result{.status = action_status::cancelled,
                                       .error = {.code = std::string{code}}};
  log_end(of, in, at, result, false);
}

action_book::requests::iterator action_book::close(requests::iterator at,
                                                   std::string_view reason) {
  remember(at->first);
  for (const auto& each : at->second.open)
    cancel(at->first, at->second, each, reason);
  return requests_.erase(at);
}

void action_book::close(const held_request& of, std::string_view reason) {
  if (const auto found = requests_.find(of); found != requests_.end()) {
    close(found, reason);
    settle();
  }
}

void action_book::close_all_of(participant_index who, std::string_view reason) {
  auto at = requests_.lower_bound({.who = who});
  while (at != requests_.end() && at->first.who == who)
    at = close(at, reason);
  settle();
}

void action_book::close_all(std::string_view reason) {
  for (auto at = requests_.begin(); at != requests_.end();)
    at = close(at, reason);
  settle();
}

void action_book::suspend(const held_request& of, request_purpose&& purpose) {
  const auto found = requests_.find(of);
  if (found == requests_.end())
    return;
  auto left = left_actions{std::move(purpose),
                           {.recorded = found->second.recorded,
                            .attempts = found->second.attempts,
                            .bytes = found->second.bytes}};
  close(of, "suspended");
  left_[of.who].push_back(std::move(left));
}

protocol::shared_value<recorded_actions>
action_book::take_up(const held_request& next, std::uint32_t turn_number,
                     const request_purpose& purpose) {
  const auto of_participant = left_.find(next.who);
  if (of_participant == left_.end())
    return {};
  auto& all = of_participant->second;
  const auto found = std::ranges::find(all, purpose, &left_actions::purpose);
  const bool fits = found != all.end();
  if (fits) {
    remember(next);
    auto actions = std::move(found->actions);
    actions.turn_number = turn_number;
    actions.usage = {};
    requests_.insert_or_assign(next, std::move(actions));
  }
  std::erase_if(all, [&](const left_actions& each) {
    return each.purpose.kind == purpose.kind;
  });
  if (all.empty())
    left_.erase(of_participant);
  return fits ? recorded(next) : protocol::shared_value<recorded_actions>{};
}

bool action_book::bar_repeats() {
  bool found = false;
  const auto bar = [&](recorded_actions& all) {
    for (auto& each : all.all)
      if (!each.ended && each.what.repeatable) {
        each.what.repeatable = false;
        found = true;
      }
  };
  for (auto& [of, in] : requests_)
    bar(in.recorded);
  for (auto& [who, all] : left_)
    for (auto& each : all)
      bar(each.actions.recorded);
  return found;
}

bool action_book::waits_for_person(const held_request& of) const {
  const auto found = requests_.find(of);
  return found != requests_.end() && !found->second.open.empty()
         && std::ranges::all_of(found->second.open,
                                [](const open_attempt& each) {
                                  return each.kind
                                         == protocol::action_kind::person;
                                });
}

protocol::shared_value<recorded_actions>
action_book::recorded(const held_request& of) const {
  const auto found = requests_.find(of);
  if (found == requests_.end())
    return {};
  return found->second.recorded;
}

protocol::action_attempt action_book::name_of(const held_request& of,
                                              const request_actions& in,
                                              const open_attempt& at) const {
  return {.execution_id = at.execution_id,
          .who = who_->name_of(of.who),
          .token_id = of.token,
          .turn_number = in.turn_number,
          .position = at.position,
          .kind = at.kind,
          .number = at.number};
}

void action_book::remember(const held_request& of) {
  if (!remembers_ || before_.contains(of))
    return;
  // What is recorded no longer matters once an input is undone.
  auto& kept = before_[of];
  if (const auto found = requests_.find(of); found != requests_.end()) {
    kept.open = found->second.open;
    kept.turn_number = found->second.turn_number;
  }
}

void action_book::undo() {
  for (auto& [of, earlier] : before_)
    if (earlier.open.empty())
      requests_.erase(of);
    else
      requests_.insert_or_assign(of, std::move(earlier));
  before_.clear();
}

/// Sums saturate, so they are made anew.
void action_book::settle() {
  unsettled_ = {};
  for (const auto& [of, each] : requests_)
    unsettled_ = unsettled_ + each.usage;
}

bool action_book::is_sound(const request_actions& of) {
  const auto& all = of.recorded.all;
  return std::ranges::all_of(of.open, [&](const open_attempt& at) {
    return std::ranges::any_of(all, [&](const recorded_action& each) {
      return each.what.position == at.position && each.attempt == at.number
             && !each.ended;
    });
  });
}

} // namespace convene::session
