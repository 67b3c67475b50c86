// A session: the machine behind a mailbox. No decision is made here.

#include <caf/send.hpp>
#include <convene/actors/leave_actor_system.hpp>
#include <convene/actors/session_runner.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <chrono>
#include <utility>

namespace convene::actors {

session_runner::session_runner(caf::actor_config& config,
                               std::shared_ptr<session_setup> setup)
  : lean_actor(config), setup_(std::move(*setup)) {
  set_down_handler([this](const caf::down_msg& down) {
    under_way_ = {};
    guarded([&] { lose(down); });
  });
}

session_runner::behavior_type session_runner::make_behavior() {
  if (!setup_.about)
    setup_.about
      = std::make_shared<const session::session_info>(setup_.machine->info());
  common_ = std::make_shared<const participants_setup>(
    participants_setup{.about = std::move(setup_.about),
                       .runner = setup_.runner,
                       .time = setup_.time,
                       .outside = setup_.outside,
                       .late = setup_.late,
                       .blobs = setup_.blobs,
                       .faults = setup_.faults});
  participants_.resize(setup_.behaviours.size());
  if (const auto& how = setup_.machine->spec().options.restart; how.limit > 0)
    restarts_.emplace(participants_.size(), how);
  for (participant_index i = 0; i < participants_.size(); ++i)
    if (setup_.behaviours[i])
      begin(i);
  return {[this](reply_msg& x) { take(std::move(x)); },
          [this](write_msg& x) {
            under_way_ = x.token;
            guarded([&] { take(std::move(x)); });
          },
          [this](action_begin_msg& x) {
            under_way_ = x.token;
            guarded([&] { take(std::move(x)); });
          },
          [this](action_end_msg& x) {
            under_way_ = x.token;
            guarded([&] { take(std::move(x)); });
          },
          [this](control& x) {
            under_way_ = {};
            guarded([&] { obey(std::move(x)); });
          },
          [this](const comeback& x) {
            under_way_ = {};
            guarded([&] { come_back(x.who); });
          },
          [this](time_passed) {
            armed_.reset();
            under_way_ = {};
            guarded([&] { feed(session::tick{}); });
          },
          [this](const events_durable& x) {
            under_way_ = {};
            guarded([&] { go_on_after(x); });
          }};
}

void session_runner::on_exit() {
  for (auto& p : participants_)
    if (p)
      send_exit(p, caf::exit_reason::user_shutdown);
  if (setup_.timekeeper)
    send(setup_.timekeeper, disarm_atom::value, session_actor{this});
  under_way_ = {};
  const auto what = failure("it ended before the session");
  if (!is_rescued(what))
    report(protocol::fail(what));
  participants_.clear();
  setup_ = {};
}

bool session_runner::take_at_once(caf::mailbox_element& x) {
  auto* const said = values_of<reply_msg>(x);
  if (said == nullptr)
    return false;
  take(std::move(std::get<0>(*said)));
  return true;
}

/// Whom a message comes from: whoever it says, if that one sent it.
session::participant_index session_runner::sender_of(const auto& x) {
  const auto& from = current_sender();
  return from && x.from < participants_.size() && participants_[x.from]
             && participants_[x.from].id() == from->id()
             && participants_[x.from].node() == from->node()
           ? x.from
           : session::no_participant;
}

void session_runner::take(reply_msg&& x) {
  auto& given = x.what;
  const auto bad = setup_.quarantined.find(given.token);
  if (bad != setup_.quarantined.end())
    given.reply = {.status = protocol::reply_status::failed,
                   .error = {"quarantined", bad->second}};
  under_way_ = given.token;
  guarded([&] {
    if (setup_.answers != nullptr)
      setup_.answers->check(given.reply);
    given.from = sender_of(given);
    feed(std::move(given));
  });
}

void session_runner::take(write_msg&& x) {
  if (setup_.quarantined.contains(x.token))
    return;
  const auto from = sender_of(x);
  for (auto& what : x.what.claim)
    feed(session::claim_attempt{from, x.token, std::move(what)});
  for (auto& what : x.what.writes)
    feed(session::write_attempt{from, x.token, std::move(what)});
}

void session_runner::take(action_begin_msg&& x) {
  const auto from = sender_of(x);
  if (!setup_.quarantined.contains(x.token))
    feed(session::action_begins{from, x.token, std::move(x.what), x.attempt});
  else if (from != session::no_participant)
    tell({.to = from,
          .token = x.token,
          .what = "action_refused",
          .reason = "quarantined",
          .position = std::move(x.what.position)});
}

void session_runner::take(action_end_msg&& x) {
  if (!setup_.quarantined.contains(x.token))
    feed(session::action_ends{sender_of(x), x.token, std::move(x.position),
                              x.attempt, std::move(x.result)});
}

void session_runner::obey(control&& x) {
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
    case control::verb::resume_from_log:
      return resume_from_log();
    case control::verb::leave:
      return leave(std::move(x.reason));
    case control::verb::halt:
      return halt();
    case control::verb::let_go:
      return let_go();
    case control::verb::fail:
      return feed(session::fault{std::move(x.reason)});
    case control::verb::message:
      return take_message(std::move(x));
  }
}

void session_runner::take_message(control&& x) {
  const auto tell = [&x](protocol::result<void> taken) {
    if (x.then)
      x.then(std::move(taken));
  };
  const auto refuse = [](std::string rule, std::string why) {
    return protocol::fail(protocol::errc::not_allowed, std::move(why),
                          std::move(rule));
  };
  if (!setup_.machine)
    return tell(refuse("session_ended", "the session has ended"));
  session::message said{
    .content = protocol::sanitize_utf8(std::move(x.reason))};
  if (!x.participant_id.empty()) {
    said.from = session::find_participant(setup_.machine->spec(),
                                          x.participant_id);
    if (said.from == session::no_participant)
      return tell(refuse("participant_unknown",
                         "no participant of the session has this id"));
  }
  if (auto may = setup_.machine->may_take(said); !may)
    return tell(std::move(may));
  const auto refused = setup_.machine->counts().refused;
  feed(std::move(said));
  if (!setup_.machine || setup_.machine->counts().refused != refused)
    return tell(refuse("session_ended", "the session's time was over"));
  tell({});
}

void session_runner::feed_all(std::vector<session::input> all) {
  if (!setup_.machine)
    return;
  const scratch<session::effects> kept;
  auto& wanted = *kept;
  wanted.clear();
  for (auto& what : all) {
    const auto now = what.now;
    setup_.machine->feed(std::move(what), wanted);
    if (!setup_.conditions.empty() && !wanted.events.empty())
      rule(now, wanted);
  }
  carry_out(wanted);
}

/// Feeds what the application's conditions say of the session as it stands.
void session_runner::rule(protocol::timestamp_ms now,
                          session::effects& wanted) {
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

void session_runner::carry_out(session::effects& wanted) {
  if (setup_.board != nullptr)
    setup_.board->write(*setup_.machine);
  if (!wanted.events.empty())
    if (auto kept
        = setup_.events->append(setup_.machine->spec().collab.collab_id,
                                wanted.events.view(), wanted.event_count);
        !kept) {
      report(tl::unexpected(std::move(kept).error()));
      setup_.machine.reset(); // what its events went to is gone
      quit();
      return;
    }
  ++step_;
  bool waits = ask(wanted.deliveries);
  waits = tell(wanted.notices) || waits;
  if (wanted.finished)
    ended_ = std::make_unique<session::report>(
      make_report(std::move(setup_.machine)));
  else
    arm();
  if ((waits || ended_) && is_durable())
    go_on_after({step_});
}

/// Sends requests, or holds them back. Whether any waits for this step.
bool session_runner::ask(std::vector<session::delivery>& requests) {
  if (requests.empty())
    return false;
  if (setup_.machine)
    held_.keep_if([this](const session::delivery& earlier) {
      return setup_.machine->awaits(earlier.to, earlier.what.token);
    });
  bool waits = false;
  const bool congested = setup_.events->congested();
  // Those that are added here wait for the same reason as what follows to them.
  const auto earlier = held_.size();
  for (auto& d : requests)
    if (congested || held_.has(d.to, earlier)
        || (setup_.strict && setup_.behaviours[d.to]->acts_outside())) {
      held_.add(step_, std::move(d));
      waits = true;
    } else {
      deliver(std::move(d));
    }
  return waits;
}

/// Sends notices, or holds them back. Whether any waits for this step.
bool session_runner::tell(std::vector<session::notice>& notices) {
  if (notices.empty())
    return false;
  if (setup_.machine)
    held_notices_.keep_if([this](const session::notice& earlier) {
      return setup_.machine->awaits(earlier.to, earlier.token);
    });
  bool waits = false;
  for (auto& n : notices)
    if (n.when_durable) {
      held_notices_.add(step_, std::move(n));
      waits = true;
    } else {
      tell(std::move(n));
    }
  return waits;
}

void session_runner::tell(session::notice&& what) {
  if (participants_[what.to])
    send(participants_[what.to],
         notice_msg{what.token, std::move(what.what), std::move(what.reason),
                    std::move(what.position)});
}

void session_runner::deliver(session::delivery&& d, std::int64_t age_ms) {
  if (restarts_ && restarts_->hold(d, *setup_.machine))
    return;
  const auto fate = setup_.faults != nullptr
                      ? setup_.faults->of_request(d.to, d.what)
                      : request_fate{};
  if (fate.is_lost)
    return;
  if (fate.delay_ms > 0)
    delayed_send(participants_[d.to], std::chrono::milliseconds{fate.delay_ms},
                 std::move(d.what), age_ms);
  else
    hand(participants_[d.to], std::move(d.what), age_ms);
}

/// Whether the events so far are kept; if not, `events_durable` will come.
bool session_runner::is_durable() {
  return setup_.events->is_durable(
    [self = session_actor{this}, step = step_](protocol::result<void> kept) {
      events_durable told{step, !kept, {}};
      if (!kept)
        told.why = std::move(kept).error();
      caf::anon_send(self, std::move(told));
    });
}

void session_runner::go_on_after(const events_durable& x) {
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
  held_notices_.release(x.up_to, [this](session::notice&& n) {
    if (setup_.machine && setup_.machine->awaits(n.to, n.token))
      tell(std::move(n));
  });
}

/// Asks to be woken, unless that will happen early enough already.
void session_runner::arm() {
  const auto next = setup_.machine->next_deadline();
  if (!next || (armed_ && *armed_ <= *next))
    return;
  armed_ = next;
  send(setup_.timekeeper, arm_atom::value, session_actor{this}, *next);
}

void session_runner::report(protocol::result<session::report> outcome) {
  if (auto tell = std::exchange(setup_.done, nullptr))
    tell(std::move(outcome));
}

session_actor spawn_session(caf::actor_system& system, session_setup setup) {
  auto made = system.spawn<session_runner>(
    std::make_shared<session_setup>(std::move(setup)));
  leave_actor_system();
  return made;
}

} // namespace convene::actors
