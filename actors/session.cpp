// A session: the machine behind a mailbox. No decision is made here.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/held_requests.hpp>
#include <convene/actors/participant.hpp>
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
    const auto about
      = std::make_shared<const session::session_info>(setup_.machine->info());
    for (participant_index i = 0; i < setup_.behaviours.size(); ++i) {
      participants_.emplace_back();
      if (!setup_.behaviours[i])
        continue;
      participants_.back() = spawn_participant(system(),
                                               {.session = this,
                                                .about = about,
                                                .self = i,
                                                .answers = setup_.behaviours[i],
                                                .runner = setup_.runner});
      monitor(participants_.back());
    }
    return {[this](answered& x) {
              if (setup_.answers != nullptr)
                setup_.answers->check(x.reply);
              feed(session::answer{.from = sender_of(x),
                                   .token = x.token,
                                   .reply = std::move(x.reply)});
            },
            [this](control& x) { obey(std::move(x)); },
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
  /// Whom an answer comes from: whoever it says, if that one sent it.
  participant_index sender_of(const answered& x) {
    const auto& from = current_sender();
    return from && x.from < participants_.size() && participants_[x.from]
               && participants_[x.from].id() == from->id()
               && participants_[x.from].node() == from->node()
             ? x.from
             : session::no_participant;
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
    feed(session::participant_down{.who = static_cast<participant_index>(
                                     found - participants_.begin()),
                                   .reason = caf::to_string(down.reason)});
  }

  template <class What>
  void feed(What what) {
    if (!setup_.machine)
      return;
    // A thousand sessions write into the same memory.
    const scratch<session::effects> kept;
    auto& wanted = *kept;
    wanted.clear();
    setup_.machine->feed({setup_.time->now(), std::move(what)}, wanted);
    carry_out(wanted);
    if (wanted.events.size() > kept_bytes_max)
      wanted = {};
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
        send(participants_[d.to], asked{std::move(d.what)});
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
        send(participants_[d.to], asked{std::move(d.what)});
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
  std::vector<participant_actor> participants_;
  std::optional<protocol::timestamp_ms> armed_;
  std::uint64_t step_ = 0; // counts the times that effects were carried out
  held_requests held_;
  std::unique_ptr<session::report> ended_; // until its end is kept
};

} // namespace

session_actor spawn_session(caf::actor_system& system, session_setup setup) {
  return system.spawn<session_runner>(
    std::make_shared<session_setup>(std::move(setup)));
}

} // namespace convene::actors
