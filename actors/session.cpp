// A session: the machine behind a mailbox. No decision is made here.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/held_requests.hpp>
#include <convene/actors/leave_actor_system.hpp>
#include <convene/actors/participant.hpp>
#include <convene/actors/restarts.hpp>
#include <convene/actors/scratch.hpp>
#include <convene/actors/session.hpp>

#include <algorithm>
#include <utility>

namespace convene::actors {
namespace {

using session::participant_index;

/// Events beyond this are not worth keeping memory for.
constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;

class session_runner : public session_actor::base {
public:
  session_runner(caf::actor_config& config,
                 std::shared_ptr<session_setup> setup)
    : session_actor::base(config), setup_(std::move(*setup)) {
    set_down_handler([this](const caf::down_msg& down) { lose(down); });
  }

  behavior_type make_behavior() override {
    about_
      = std::make_shared<const session::session_info>(setup_.machine->info());
    participants_.resize(setup_.behaviours.size());
    if (const auto& how = setup_.machine->spec().options.restart; how.limit > 0)
      restarts_.emplace(participants_.size(), how);
    for (participant_index i = 0; i < participants_.size(); ++i)
      if (setup_.behaviours[i])
        begin(i);
    return {[this](answered& x) {
              if (setup_.answers != nullptr)
                setup_.answers->check(x.reply);
              feed(session::answer{.from = sender_of(x),
                                   .token = x.token,
                                   .reply = std::move(x.reply)});
            },
            [this](acted& x) { take(std::move(x)); },
            [this](control& x) { obey(std::move(x)); },
            [this](const comeback& x) { come_back(x.who); },
            [this](time_passed) {
              armed_.reset();
              feed(session::tick{});
            },
            [this](events_kept& x) { go_on_after(x); }};
  }

  void on_exit() override {
    for (auto& p : participants_)
      if (p)
        send_exit(p, caf::exit_reason::user_shutdown);
    if (setup_.timekeeper)
      send(setup_.timekeeper, disarm_atom::value, session_actor{this});
    report(protocol::fail(protocol::errc::internal,
                          "the session's actor ended before the session"));
    participants_.clear();
    setup_ = {};
  }

private:
  void begin(participant_index who) {
    participants_[who] = spawn_participant(system(),
                                           {.session = this,
                                            .about = about_,
                                            .self = who,
                                            .answers = setup_.behaviours[who],
                                            .runner = setup_.runner,
                                            .late = setup_.late});
    monitor(participants_[who]);
  }

  /// Whom a message comes from: whoever it says, if that one sent it.
  participant_index sender_of(const auto& x) {
    const auto& from = current_sender();
    return from && x.from < participants_.size() && participants_[x.from]
               && participants_[x.from].id() == from->id()
               && participants_[x.from].node() == from->node()
             ? x.from
             : session::no_participant;
  }

  void take(acted&& x) {
    const auto from = sender_of(x);
    for (auto& what : x.what.claim)
      feed(session::claim_attempt{from, x.token, std::move(what)});
    for (auto& what : x.what.writes)
      feed(session::write_attempt{from, x.token, std::move(what)});
  }

  void obey(control&& x) {
    switch (x.what) {
      case control::verb::start:
        return feed(session::start{});
      case control::verb::suspend:
        return feed(session::suspend{std::move(x.reason)});
      case control::verb::resume:
        return feed(session::resume{});
      case control::verb::cancel:
        return feed(session::cancel{std::move(x.reason)});
      case control::verb::stop:
        return feed(session::stop{std::move(x.reason)});
      case control::verb::go_on:
        return go_on();
      case control::verb::leave:
        return leave(std::move(x.reason));
    }
  }

  void go_on() {
    const auto left = std::exchange(setup_.outstanding, {});
    feed(session::tick{});
    if (!setup_.machine)
      return;
    const auto timeout = setup_.machine->spec().options.turn_timeout_ms;
    for (const auto& d : left)
      if (setup_.machine->awaits(d.to, d.what.token) && participants_[d.to])
        send(participants_[d.to],
             asked{d.what, setup_.time->now() - d.what.expires_at + timeout});
  }

  void leave(std::string reason) {
    feed(session::suspend{std::move(reason)});
    if (!setup_.machine)
      return;
    report(protocol::fail(protocol::errc::not_allowed,
                          "the session was suspended",
                          std::string{session_suspended}));
    quit();
  }

  void lose(const caf::down_msg& down) {
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
  bool restart(participant_index who, const caf::error& reason) {
    const auto away = setup_.machine && restarts_ ? restarts_->die(who)
                                                  : std::nullopt;
    if (!away)
      return false;
    delayed_send(this, std::chrono::milliseconds{*away}, comeback{who});
    if (const auto& token = restarts_->last_token(who);
        setup_.machine->awaits(who, token))
      feed(session::answer{
        .from = who,
        .token = token,
        .reply = {.status = protocol::reply_status::failed,
                  .error = {"participant_restarted",
                            "its actor died: " + caf::to_string(reason)}}});
    return true;
  }

  void come_back(participant_index who) {
    if (!setup_.machine || !restarts_ || !restarts_->is_away(who))
      return;
    begin(who);
    for (auto& what : restarts_->come_back(who))
      if (setup_.machine->awaits(who, what.token))
        send(participants_[who], asked{std::move(what)});
  }

  void deliver(session::delivery&& d) {
    if (!restarts_ || !restarts_->hold(d, *setup_.machine))
      send(participants_[d.to], asked{std::move(d.what)});
  }

  template <class What>
  void feed(What what) {
    if (!setup_.machine)
      return;
    // A thousand sessions write into the same memory.
    const scratch<session::effects> kept;
    auto& wanted = *kept;
    wanted.clear();
    const auto now = setup_.time->now();
    setup_.machine->feed({now, std::move(what)}, wanted);
    if (!setup_.conditions.empty() && !wanted.events.empty())
      rule(now, wanted);
    carry_out(wanted);
    if (wanted.events.size() > kept_bytes_max)
      wanted = {};
  }

  /// Feeds what the application's conditions say of the session as it stands.
  void rule(protocol::timestamp_ms now, session::effects& wanted) {
    for (auto& condition : setup_.conditions) {
      if (setup_.machine->ended())
        break;
      if (auto found = judge(condition, *setup_.machine))
        setup_.machine->feed({now, *std::move(found)}, wanted);
    }
    // Who was asked in the same moment need not be troubled.
    if (wanted.finished)
      wanted.deliveries.clear();
  }

  void carry_out(session::effects& wanted) {
    if (!wanted.events.empty())
      if (auto kept = setup_.events->append(
            setup_.machine->spec().collab.collab_id, wanted.events.view());
          !kept) {
        report(tl::unexpected(std::move(kept).error()));
        quit();
        return;
      }
    ++step_;
    const bool waits = ask(wanted.deliveries);
    for (auto& n : wanted.notices)
      if (participants_[n.to])
        send(participants_[n.to],
             noticed{n.token, std::move(n.what), std::move(n.reason)});
    if (wanted.finished)
      ended_ = std::make_unique<session::report>(
        make_report(std::move(setup_.machine)));
    else
      arm();
    if ((waits || ended_) && is_kept())
      go_on_after({step_});
  }

  /// Sends requests, or holds them back. Whether any waits for this step.
  bool ask(std::vector<session::delivery>& requests) {
    bool waits = false;
    const bool congested = !requests.empty() && setup_.events->congested();
    for (auto& d : requests)
      if (congested || held_.has(d.to)
          || (setup_.strict && setup_.behaviours[d.to]->acts_outside())) {
        held_.add(step_, std::move(d));
        waits = true;
      } else {
        deliver(std::move(d));
      }
    return waits;
  }

  /// Whether the events so far are kept; if not, `events_kept` will come.
  bool is_kept() {
    return setup_.events->is_kept(
      [self = session_actor{this}, step = step_](protocol::result<void> kept) {
        events_kept told{step, !kept, {}};
        if (!kept)
          told.why = std::move(kept).error();
        caf::anon_send(self, std::move(told));
      });
  }

  void go_on_after(const events_kept& x) {
    if (x.failed) {
      report(protocol::fail(x.why));
      return quit();
    }
    if (ended_ && x.up_to == step_) {
      report(std::move(*ended_));
      return quit();
    }
    held_.release(x.up_to, [this](session::delivery&& d) {
      // Its time may have come while it waited.
      if (setup_.machine && setup_.machine->awaits(d.to, d.what.token))
        deliver(std::move(d));
    });
  }

  /// Asks to be woken, unless that will happen early enough already.
  void arm() {
    const auto next = setup_.machine->next_deadline();
    if (!next || (armed_ && *armed_ <= *next))
      return;
    armed_ = next;
    send(setup_.timekeeper, arm_atom::value, session_actor{this}, *next);
  }

  void report(protocol::result<session::report> outcome) {
    if (auto tell = std::exchange(setup_.done, nullptr))
      tell(std::move(outcome));
  }

  session_setup setup_;
  std::shared_ptr<const session::session_info> about_;
  std::vector<participant_actor> participants_;
  std::optional<restarts> restarts_; ///< nothing: nobody is started again
  std::optional<protocol::timestamp_ms> armed_;
  std::uint64_t step_ = 0; // counts the times that effects were carried out
  held_requests held_;
  std::unique_ptr<session::report> ended_; // until its end is kept
};

} // namespace

session_actor spawn_session(caf::actor_system& system, session_setup setup) {
  auto made = system.spawn<session_runner>(
    std::make_shared<session_setup>(std::move(setup)));
  leave_actor_system();
  return made;
}

} // namespace convene::actors
