#include <convene/actors/behaviours/action_refusals.hpp>
#include <convene/actors/behaviours/turn_actions.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/spec/normalise_action.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace convene::actors {
namespace {

using protocol::action_result;
using protocol::action_status;

action_result attempt_threw(std::string what) {
  return {.status = action_status::failed,
          .error = {.code = "attempt_threw", .message = std::move(what)}};
}

bool may_try_again(const action_result& last, std::uint32_t attempts,
                   const retry_policy& retry) {
  return last.status != action_status::completed && last.error.transient
         && attempts < retry.attempts;
}

bool is_same(const protocol::action& a, const protocol::action& b) {
  return a.kind == b.kind && a.name == b.name
         && protocol::same_value(a.arguments, b.arguments);
}

std::size_t attempts_in(const session::recorded_actions& of) {
  std::size_t sum = 0;
  for (const auto& each : of.all)
    sum += each.attempt;
  return sum;
}

} // namespace

turn_actions::turn_actions(std::shared_ptr<turn_link> link,
                           const protocol::uuid& token,
                           const std::string& receiver, recorded before,
                           clock::time_point end, attempt_tracer trace)
  : link_(std::move(link)), before_(std::move(before)),
    token_(to_string(before_->all.empty() ? token : before_->first_token)
           + receiver),
    end_(end), trace_(std::move(trace)), attempts_(attempts_in(*before_)) {
  // nop
}

std::string turn_actions::place_of(const std::string& position) const {
  return token_ + ':' + position;
}

/// After a crash another question may be asked in the same place.
std::string turn_actions::key_of(const work& of) const {
  constexpr std::size_t digits = 32;
  const auto asked = protocol::json_sha256(
    protocol::json::array{of.what.name, of.what.arguments, of.question});
  return place_of(of.what.position) + ':' + asked.substr(0, digits);
}

std::int64_t turn_actions::left_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end_
                                                               - clock::now())
    .count();
}

/// What is known of an action before it begins, if that settles it; else its
/// next attempt is noted.
std::optional<action_result> turn_actions::known_result(work& of) const {
  if (open_.contains(of.what.position))
    return refused_by("action_open");
  const auto& all = before_->all;
  const auto found = std::ranges::find_if(all, [&](const auto& each) {
    return each.what.position == of.what.position;
  });
  if (found != all.end()) {
    if (!is_same(found->what, of.what))
      return refused_by("action_changed");
    if (!found->ended && !(found->what.repeatable && of.what.repeatable))
      return refused_by("outcome_unknown");
    if (found->ended && !may_try_again(found->result, found->attempt, of.retry))
      return found->result;
    of.attempt = found->attempt + 1;
  }
  if (attempts_ >= session::actions_max)
    return refused_by("actions_max");
  return std::nullopt;
}

void turn_actions::act(protocol::action what, retry_policy retry,
                       attempt_function how, when_acted then,
                       attempt_end limit) {
  work next{.what = std::move(what),
            .retry = retry,
            .limit = limit,
            .how = std::move(how),
            .then = std::move(then)};
  next.timeout_ms = next.what.timeout_ms;
  next.question = next.what.question;
  auto* const blobs = link_->blobs();
  std::shared_ptr<const protocol::json::value> large;
  if (blobs != nullptr && is_for_blob(next.what.arguments))
    large = std::make_shared<const protocol::json::value>(
      std::exchange(next.what.arguments, nullptr));
  if (const auto code = session::normalise(next.what); !code.empty())
    return next.then(refused_by(code));
  if (!large)
    return add(std::move(next));
  blobs->put(large, [weak = weak_from_this(),
                     next](protocol::result<protocol::json::value> kept) {
    const auto self = weak.lock();
    if (!self)
      return;
    if (!kept)
      return self->tell_unless_over(next.then, not_kept(kept.error()));
    auto known = next;
    known.what.arguments = *std::move(kept);
    self->add(std::move(known));
  });
}

void turn_actions::add(work next) {
  const auto position = next.what.position;
  const auto then = next.then;
  next.idempotency_key = key_of(next);
  std::optional<action_result> known;
  {
    const std::lock_guard held{mutex_};
    if (over_)
      return;
    known = known_result(next);
    if (!known)
      open_.emplace(position, std::move(next));
  }
  if (known)
    recall(*std::move(known), then);
  else
    try_again(position);
}

void turn_actions::due(const std::string& position, std::uint64_t run) {
  if (run == 0)
    try_again(position);
  else
    time_out(position, run);
}

/// The attempt ends first and is cancelled then: what it says of that is late.
void turn_actions::time_out(const std::string& position, std::uint64_t run) {
  cancel_function cancel;
  action_result result{.status = action_status::timed_out};
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found == open_.end() || found->second.run != run)
      return;
    auto& of = found->second;
    cancel.swap(of.cancel);
    result.error = {.code = "timed_out",
                    .message = "no result came within "
                               + std::to_string(of.timeout_ms) + " ms",
                    .transient = of.what.repeatable};
  }
  ended(position, run, std::move(result));
  if (cancel)
    cancel();
}

void turn_actions::try_again(const std::string& position) {
  protocol::action what;
  std::uint32_t attempt = 0;
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found == open_.end() || found->second.run != 0)
      return;
    ++attempts_;
    what = found->second.what;
    attempt = found->second.attempt;
  }
  if (link_->begin(std::move(what), attempt))
    started(position);
}

void turn_actions::relay_to(relay_function call) {
  const std::lock_guard held{mutex_};
  relay_ = std::move(call);
}

/// Empty once no one waits for any of it.
turn_actions::relay_function turn_actions::relay() const {
  const std::lock_guard held{mutex_};
  return relay_;
}

void turn_actions::started(const std::string& position) {
  if (const auto call = relay())
    return call(position, {});
  attempt which;
  attempt_function how;
  std::uint64_t run = 0;
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found == open_.end() || found->second.run != 0)
      return;
    auto& of = found->second;
    run = of.run = ++runs_;
    const auto left = std::max<std::int64_t>(left_ms(), 1);
    which = {.number = of.attempt,
             .idempotency_key = of.idempotency_key,
             .timeout_ms = of.timeout_ms > 0 ? std::min(of.timeout_ms, left)
                                             : left};
    how = of.how;
  }
  if (trace_)
    which.trace = trace_(position, which.number);
  const when_acted told = [weak = weak_from_this(), position,
                           run](action_result result) {
    if (const auto self = weak.lock())
      self->ended(position, run, std::move(result));
  };
  cancel_function cancel;
  try {
    cancel = how(which, told);
  } catch (const std::exception& thrown) {
    told(attempt_threw(thrown.what()));
  } catch (...) {
    told(attempt_threw("something other than std::exception"));
  }
  bool is_limited = false;
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found != open_.end() && found->second.run == run) {
      found->second.cancel = std::exchange(cancel, {});
      is_limited = found->second.limit == attempt_end::by_timer
                   && found->second.timeout_ms > 0;
    }
  }
  if (is_limited && !link_->call_later(position, run, which.timeout_ms))
    return; // there is no clock, and the turn has no end
  // It ended, or the turn did, while it began.
  if (cancel)
    cancel();
}

void turn_actions::refused(const std::string& position, std::string_view code) {
  if (const auto call = relay())
    return call(position, code);
  all_work::node_type gone;
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found == open_.end() || found->second.run != 0)
      return;
    gone = open_.extract(found);
  }
  gone.mapped().then(refused_by(code));
}

/// Nothing: it is not tried again. The delay doubles, and is a half of that at
/// least, by a share that follows from the action: what failed together is not
/// tried again together.
std::optional<std::int64_t>
turn_actions::delay_before_next(const work& of, const action_result& last,
                                std::int64_t retry_after_ms) const {
  constexpr std::uint32_t doublings_max = 20;
  constexpr std::int64_t shares = 1024;
  if (!may_try_again(last, of.attempt, of.retry)
      || attempts_ >= session::actions_max)
    return std::nullopt;
  const auto doublings = std::min(of.attempt - 1, doublings_max);
  const auto longest = std::max<std::int64_t>(of.retry.longest_delay_ms, 0);
  const auto first = std::clamp<std::int64_t>(of.retry.first_delay_ms, 0,
                                              longest);
  const auto whole = std::min(longest, first << doublings);
  const auto seed = std::hash<std::string>{}(place_of(of.what.position)
                                             + std::to_string(of.attempt));
  const auto share = static_cast<std::int64_t>(seed % shares);
  const auto delay = std::max(whole / 2 + (whole - whole / 2) * share / shares,
                              retry_after_ms);
  return delay < left_ms() ? std::optional{delay} : std::nullopt;
}

void turn_actions::over() {
  all_work left;
  {
    const std::lock_guard held{mutex_};
    over_ = true;
    relay_ = {};
    left.swap(open_);
  }
  for (auto& [position, of] : left)
    if (of.cancel)
      of.cancel();
}

} // namespace convene::actors
