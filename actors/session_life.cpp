// How a session goes on after an interruption, which participants die and come
// back, and what becomes of it when its own actor fails.

#include <caf/send.hpp>
#include <convene/actors/orchestrator.hpp>
#include <convene/actors/session_runner.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace convene::actors {

void session_runner::begin(participant_index who) {
  const auto& roster = setup_.machine->who();
  const bool decides = who == roster.orchestrator || who == roster.deputy;
  const auto spawn = decides ? spawn_orchestrator : spawn_participant;
  participants_[who] = spawn(system(), {.session = this,
                                        .common = common_,
                                        .self = who,
                                        .answers = setup_.behaviours[who]});
  monitor(participants_[who]);
}

/// Whether a deadline passed between the log's last event and now, while no
/// process ran the session.
bool session_runner::overslept() const {
  if (!setup_.brings_back)
    return false;
  const auto next = setup_.machine->next_deadline();
  const auto now = setup_.time->now();
  return next && *next <= now && now > setup_.machine->last_at();
}

void session_runner::resume_from_log() {
  auto left = std::exchange(setup_.outstanding, {});
  if (overslept()) {
    // Nobody was late: what was open is asked anew, with all of its time. In
    // one append: nothing would resume a session that is only suspended.
    feed_all({{setup_.machine->last_at(), session::suspend{"process_ended"}},
              {setup_.time->now(), session::resume{}}});
  } else {
    feed(session::tick{});
  }
  if (!setup_.machine)
    return;
  for (auto& d : left)
    if (setup_.machine->awaits(d.to, d.what.token) && participants_[d.to]) {
      const auto age = setup_.time->now() - d.what.expires_at
                       + setup_.machine->timeout_of(d.to);
      deliver(std::move(d), age);
    }
  if (setup_.brings_back)
    for (participant_index i = 0; i < participants_.size(); ++i)
      if (setup_.machine && participants_[i] && setup_.machine->is_lost(i))
        feed(session::participant_up{i});
}

void session_runner::leave(std::string reason) {
  feed(session::suspend{std::move(reason)});
  if (!setup_.machine)
    return;
  report(make_report(std::move(setup_.machine)));
  quit();
}

void session_runner::halt() {
  if (!setup_.machine) // it has ended, and will say so
    return;
  report(protocol::fail(protocol::errc::not_allowed,
                        "the session was left where it stands",
                        std::string{session_suspended}));
  quit();
}

void session_runner::let_go() {
  ended_.reset(); // its end is on no log
  report(protocol::fail(protocol::errc::not_allowed,
                        "another process continues the session",
                        std::string{session_elsewhere}));
  setup_.machine.reset();
  quit();
}

void session_runner::lose(const caf::down_msg& down) {
  const auto found = std::ranges::find_if(participants_, [&](const auto& p) {
    return p && p.address() == down.source;
  });
  if (found == participants_.end())
    return;
  const auto who
    = static_cast<participant_index>(found - participants_.begin());
  if (!restart(who, down.reason))
    feed(session::participant_down{.who = who,
                                   .reason = caf::to_string(down.reason)});
}

/// Has a new actor take over later, unless that has happened too often. What
/// the dead one was asked fails.
bool session_runner::restart(participant_index who, const caf::error& reason) {
  const auto away = setup_.machine && restarts_ ? restarts_->die(who)
                                                : std::nullopt;
  if (!away)
    return false;
  delayed_send(this, std::chrono::milliseconds{*away}, comeback{who});
  // A copy: what follows from one may be asked of it again.
  const auto tokens = restarts_->tokens(who);
  for (const auto& token : tokens)
    if (setup_.machine && setup_.machine->awaits(who, token))
      feed(session::answer{
        .from = who,
        .token = token,
        .reply = {.status = protocol::reply_status::failed,
                  .error = {"participant_restarted",
                            "its actor died: " + caf::to_string(reason)}}});
  return true;
}

void session_runner::come_back(participant_index who) {
  if (!setup_.machine || !restarts_ || !restarts_->is_away(who))
    return;
  begin(who);
  for (auto& what : restarts_->come_back(who))
    if (setup_.machine->awaits(who, what.token))
      send(participants_[who], std::move(what), std::int64_t{0});
}

void session_runner::crash(const std::string& why) {
  const auto what = failure(why);
  if (!is_rescued(what) && setup_.machine)
    report(make_fault_report(std::move(setup_.machine), what.message));
  quit();
}

protocol::error session_runner::failure(const std::string& why) const {
  return {.message = "the session's actor failed: " + why,
          .rule = std::string{session_crashed},
          .value = under_way_.is_nil() ? "" : to_string(under_way_)};
}

/// Whether somebody else brings the session to its end.
bool session_runner::is_rescued(const protocol::error& what) {
  if (!setup_.done || !setup_.machine || !setup_.restart
      || !setup_.restart(what))
    return false;
  setup_.done = nullptr;
  return true;
}

} // namespace convene::actors
