// What an application asks of its sessions without waiting for them.

#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/engine.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace convene {
namespace {

/// Nothing that is thrown may reach the session's actor.
void call(const when_ended& then, const result<session_result>& how,
          const std::string& id) {
  if (const auto threw = actors::catch_error([&] { then(how); }))
    spdlog::error("session {}: what was called at its end threw: {}", id,
                  *threw);
}

} // namespace

session_state session_handle::state() const {
  const auto now = state_->board.read();
  session_state made{.status = now.status,
                     .ended = now.ended,
                     .turn_started_at = now.turn_started_at,
                     .last_at = now.last_at,
                     .turns = now.turns,
                     .broadcasts = now.broadcasts,
                     .conflicts = now.conflicts,
                     .handoffs = now.handoffs,
                     .open_requests = now.open_requests,
                     .usage = now.usage};
  if (now.turn_holder != session::no_participant)
    made.turn_holder
      = state_->about->participants[now.turn_holder].participant_id;
  return made;
}

bool session_handle::notify(when_ended then) const {
  const std::lock_guard held{state_->mutex};
  if (state_->outcome)
    return false;
  state_->when_ended.push_back(std::move(then));
  return true;
}

void session_handle::on_end(const when_ended& then) const {
  if (!notify(then))
    call(then, *state_->outcome, state_->id);
}

bool session_handle::shared::takes_controls() {
  const std::lock_guard held{mutex};
  return actor || waiting;
}

void session_handle::shared::call_those_waiting() {
  for (const auto& then : std::exchange(when_ended, {}))
    call(then, *outcome, id);
}

result<session_result> session_awaiter::await_resume() const {
  return *session_.await_for(std::chrono::milliseconds{0});
}

protocol::timestamp_ms runtime::now() const {
  return implementation_->time().now();
}

result<protocol::timestamp_ms>
runtime::run_until(protocol::timestamp_ms until) {
  auto& time = implementation_->virtual_clock;
  if (!time)
    return protocol::fail(protocol::errc::not_allowed,
                          "real time passes by itself: open the runtime with a "
                          "seed",
                          "real_time");
  if (time->runs_caller())
    return protocol::fail(protocol::errc::not_allowed,
                          "this is called by what it would run",
                          std::string{await_inside});
  time->run_until_time(until);
  return now();
}

std::vector<session_handle> runtime::sessions() const {
  std::vector<session_handle> all;
  const std::lock_guard held{implementation_->mutex};
  all.reserve(implementation_->running.size());
  for (const auto& [id, weak] : implementation_->running)
    if (auto state = weak.lock(); state && state->takes_controls())
      all.push_back(session_handle{std::move(state)});
  return all;
}

std::optional<session_handle> runtime::find(const std::string& id) const {
  const std::lock_guard held{implementation_->mutex};
  const auto found = implementation_->running.find(id);
  if (found == implementation_->running.end())
    return std::nullopt;
  auto state = found->second.lock();
  return state && state->takes_controls()
           ? std::optional{session_handle{std::move(state)}}
           : std::nullopt;
}

} // namespace convene
