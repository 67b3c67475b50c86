#include <convene/server/runs/run_host.hpp>
#include <convene/server/shares/held_bytes.hpp>
#include <convene/session/workflow/snapshot.hpp>

#include <algorithm>
#include <chrono>

namespace convene::server {
namespace {

using protocol::result;

protocol::timestamp_ms now() {
  const auto passed = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

/// When the machine's clock, which can be set, will show a time, as far as is
/// known.
alarms::clock::time_point steady(protocol::timestamp_ms when) {
  return alarms::in(std::chrono::milliseconds{when - now()});
}

/// Whether a node still waits for its session.
bool is_wanted(hosted_run& run, const session::start_session& what) {
  const std::lock_guard lock{run.mutex};
  const auto open = run.machine.open_sessions();
  return std::ranges::find(open, what.session_id,
                           &session::start_session::session_id)
         != open.end();
}

protocol::error too_many_runs(const char* rule) {
  return {.code = protocol::errc::limit_reached,
          .message = "as many runs are open, or as large ones, as this server "
                     "takes; try again once some have ended",
          .rule = rule};
}

/// Whether somebody outside adds to a run by it.
bool makes_larger(const session::run_input& input) {
  return std::holds_alternative<session::resolve_interrupt>(input)
         || std::holds_alternative<session::pause_run>(input)
         || std::holds_alternative<session::resume_run>(input);
}

protocol::error too_large() {
  return {.code = protocol::errc::limit_reached,
          .message = "the runs of the key that began this one are too large; "
                     "cancel it, or others",
          .rule = "key_runs_bytes_max"};
}

} // namespace

// -- feeding

result<run_host::run_pointer>
run_host::begin(std::shared_ptr<const protocol::workflow> of, std::string claim,
                const std::string& key, std::optional<protocol::uuid> id,
                bool is_exclusive, bool is_child) {
  forget_removed();
  const std::lock_guard lock{mutex_};
  if (id && (live_.contains(*id) || catalog_.has_ended(*id)))
    return protocol::fail(protocol::errc::not_allowed,
                          "there is a run of this id", "run_id");
  if (is_exclusive) {
    const hosted_run* active = nullptr;
    for (const auto& [other, run] : live_)
      if (run->claim == claim && (active == nullptr || active->is_child))
        active = run.get(); // rather a run than its child run
    if (active != nullptr)
      return protocol::fail({.code = protocol::errc::not_allowed,
                             .message = "a run of the same tenantId and "
                                        "scopeId has not ended",
                             .rule = "run_already_active",
                             .value = to_string(active->id)});
  }
  if (live_.size() >= how_.runs_max)
    return protocol::fail(too_many_runs("runs_max"));
  if (live_bytes_ >= how_.runs_bytes_max)
    return protocol::fail(too_many_runs("runs_bytes_max"));
  auto share = shares_.take(key);
  if (!share)
    return protocol::fail(std::move(share).error());
  auto made = std::make_shared<hosted_run>(
    id ? *id : ids_.next(), std::move(of),
    session::run_options{.has_conversations = how_.has_conversations});
  made->claim = std::move(claim);
  made->is_child = is_child;
  made->share = *std::move(share);
  made->key = key;
  live_.emplace(made->id, made);
  return made;
}

void run_host::create(const registered_workflow& of, session::start_run how,
                      when_taken then, std::optional<protocol::uuid> id,
                      bool is_exclusive, const std::string& key) {
  if (auto unknown = find_unknown_child(*of.checked))
    return then(
      {.refusal = session::run_refusal{
         protocol::run_refusal_code::validation_error, *std::move(unknown)}});
  const auto run = begin(of.checked, run_claim(how.metadata), key, id,
                         is_exclusive, how.parent.has_value());
  if (!run)
    return then({.failure = run.error()});
  feed(*run, std::move(how), std::move(then));
}

void run_host::fork(const run_pointer& source, const session::fork_request& how,
                    when_taken then, const std::string& key) {
  if (auto why = source->fault())
    return then({.failure = std::move(why)});
  const auto* registered = workflows_->find(source->workflow->definition.id);
  const auto of = registered ? registered->checked : source->workflow;
  // What an answer has told may not be shown yet. The fork comes behind it on
  // the log, so it is durable no sooner.
  const auto log = events_of(source->record->all());
  const auto begun
    = begin(of, how.metadata ? run_claim(*how.metadata) : source->claim, key);
  if (!begun)
    return then({.failure = begun.error()});
  const auto& run = *begun;
  recorded made;
  {
    const std::lock_guard lock{run->mutex};
    auto forked
      = session::fork_run({log,
                           run->machine.run_id(),
                           of,
                           {.has_conversations = how_.has_conversations,
                            .on_divergence = how_.on_divergence}},
                          how, now());
    if (forked) {
      run->machine = std::move(forked->machine);
      made = record(*run, {.events = std::move(forked->events),
                           .actions = std::move(forked->actions)});
      made.outcome.status = run->machine.status();
      arm(run);
    } else {
      made.outcome.refusal = {protocol::run_refusal_code::validation_error,
                              std::move(forked).error()};
      made.is_nothing = true;
    }
    made.outcome.run_id = run->machine.run_id();
  }
  tell(run, std::move(made), std::move(then));
}

void run_host::feed(const run_pointer& run, const session::run_input& input,
                    when_taken then) {
  recorded made;
  {
    const std::lock_guard lock{run->mutex};
    if (run->failure)
      made.outcome.failure = run->failure;
    else if (makes_larger(input) && run->share && run->share->is_over())
      made.outcome.failure = too_large();
    else
      made = record(*run, run->machine.feed(input, now()));
    made.outcome.run_id = run->machine.run_id();
    made.outcome.status = run->machine.status();
    arm(run);
  }
  tell(run, std::move(made), std::move(then));
}

run_host::recorded run_host::record(hosted_run& run,
                                    session::run_effects effects) {
  recorded made{.outcome = {.refusal = std::move(effects.refusal),
                            .conversation = std::move(effects.conversation),
                            .is_duplicate = effects.is_duplicate},
                .actions = std::move(effects.actions),
                .place = log_->appended()};
  if (!effects.events.empty()) {
    auto texts = texts_of(effects.events);
    auto place = log_->append(run.id, texts);
    if (!place) {
      run.failure = made.outcome.failure = std::move(place).error();
      run.record->give_up();
      log_failed(*run.failure);
      catalog_.mark_broken(run.id);
      return made;
    }
    made.place = *place;
    for (const auto& each : texts) {
      live_bytes_ += each->size();
      if (run.share)
        run.share->grow(held_bytes(*each));
    }
    run.record->add(std::move(texts));
  }
  if (const auto& why = made.outcome.refusal;
      why && why->code == protocol::run_refusal_code::internal_error) {
    run.failure = why->what; // until its log is read again
    catalog_.mark_broken(run.id);
  }
  made.until = static_cast<std::size_t>(run.machine.state().next_sequence);
  made.is_nothing = made.until == 0;
  made.row = row_of(run.id, run.machine);
  return made;
}

void run_host::tell(const run_pointer& run, recorded what, when_taken then) {
  if (what.is_nothing)
    forget(run->id);
  if (what.outcome.failure) {
    if (then)
      then(std::move(what.outcome));
    return;
  }
  const auto place = what.place;
  log_->when_kept(place, [this, run, what = std::move(what),
                          then = std::move(then)](result<void> kept) mutable {
    if (kept) {
      const bool ends = is_end(what.row.status);
      show(run, std::move(what.row), what.until);
      if (ends && how_.on_end)
        how_.on_end(run->id);
      if (ends)
        tell_parent(run);
      for (auto& each : what.actions)
        act(run, std::move(each));
    } else {
      run->record->give_up();
      catalog_.mark_broken(run->id);
      what.outcome.failure = std::move(kept).error();
      log_failed(*what.outcome.failure);
    }
    if (then)
      then(std::move(what.outcome));
  });
}

void run_host::show(const run_pointer& run, run_row row, std::size_t until) {
  const bool ends = is_end(row.status);
  if (until != 0)
    catalog_.put(std::move(row));
  // Before it is shown: who has seen a run end finds room for another one.
  if (ends)
    finish(run);
  run->record->show(until, ends);
}

void run_host::log_failed(const protocol::error& why) const {
  // Else it was closed, or a run was too large for its buffer.
  if (why.code == protocol::errc::io_failed && how_.on_failure)
    how_.on_failure(why);
}

void run_host::snapshot(const run_pointer& run,
                        std::function<void(result<boost::json::object>)> then) {
  std::optional<boost::json::object> made;
  run_row row;
  std::size_t until = 0;
  host::log_position place = 0;
  {
    const std::lock_guard lock{run->mutex};
    if (run->failure)
      return then(protocol::fail(*run->failure));
    made = session::snapshot_of(run->machine);
    row = row_of(run->id, run->machine);
    until = static_cast<std::size_t>(run->machine.state().next_sequence);
    place = log_->appended();
  }
  log_->when_kept(place, [this, run, row = std::move(row), until,
                          made = *std::move(made),
                          then = std::move(then)](result<void> kept) mutable {
    if (!kept)
      return then(protocol::fail(std::move(kept).error()));
    // Who has a snapshot finds the events that led to it, though what they came
    // of may not have been told yet.
    show(run, std::move(row), until);
    then(std::move(made));
  });
}

// -- what happens by itself, and outside

void run_host::arm(const run_pointer& run) {
  if (run->alarm)
    alarms_->cancel(*run->alarm);
  run->alarm.reset();
  // A replay ends where its source's log does: time changes nothing in it.
  const auto when = run->failure || run->machine.is_replay()
                      ? std::nullopt
                      : run->machine.next_deadline();
  if (!when)
    return;
  run->alarm = alarms_->at(steady(*when), [this, weak = std::weak_ptr{run}] {
    if (const auto which = weak.lock())
      feed(which, session::check_timers{}, {});
  });
}

void run_host::act(const run_pointer& run, session::run_action what) {
  // On the alarms' thread: this may be the log's, which nothing may hold up.
  alarms_->at(alarms::clock::now(), [this, run, what = std::move(what)] {
    if (const auto* start = std::get_if<session::start_session>(&what)) {
      if (is_wanted(*run, *start)) // a cancellation may have come first
        start_session(run, *start);
    } else if (const auto* child = std::get_if<session::start_child>(&what)) {
      find_child(run, *child); // the host's opening may have been quicker
    } else if (const auto* gone = std::get_if<session::cancel_child>(&what)) {
      cancel_child(*gone);
    } else if (how_.sessions.cancel) {
      how_.sessions.cancel(std::get<session::cancel_session>(what).session_id);
    }
  });
}

void run_host::start_session(const run_pointer& run,
                             const session::start_session& what) {
  if (how_.texts)
    how_.texts->begin(what.session_id, run->listeners, what.node_id);
  const auto ended = [link = link_, run,
                      texts = how_.texts](session::session_ended how) {
    if (texts)
      texts->end(how.session_id);
    const std::lock_guard lock{link->mutex};
    if (link->host != nullptr)
      link->host->feed(run, std::move(how), {});
  };
  if (how_.sessions.start)
    return how_.sessions.start(what, run->key, ended);
  ended({.node_id = what.node_id,
         .session_id = what.session_id,
         .outcome = session::session_outcome::failed,
         .message = "this server runs no sessions for workflows"});
}

} // namespace convene::server
