// A session's processes: each is made as a runtime makes it, and goes on from
// what the one before has left on the log.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <convene/actors/leave_actor_system.hpp>
#include <convene/actors/timekeeper.hpp>
#include <convene/lab/simulation/faults/faulty_log.hpp>
#include <convene/lab/simulation/faults/faulty_messages.hpp>
#include <convene/lab/simulation/faults/faulty_session.hpp>
#include <convene/lab/simulation/faults/faulty_sink.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/boundary/boundary.hpp>
#include <convene/runtime/boundary_validator.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>
#include <convene/runtime/log_clock.hpp>
#include <convene/runtime/session_ids.hpp>
#include <convene/runtime/virtual_time.hpp>

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What one process has of its own.
struct faulty_process {
  log_clock clock;
  faulty_sink sink;
  actors::timekeeper_actor timekeeper = {};
  actors::session_actor actor = {};
  std::optional<result<session::report>> outcome = {};
};

class faulty_session {
public:
  faulty_session(const session::spec& what, const runtime_options& how,
                 const fault_spec& faults, const log_permission& may_log,
                 std::shared_ptr<const protocol::boundary::rules> rules)
    : spec_(what), away_ms_(faults.away_ms),
      may_log_(may_log), world_{.faults = {faults, how.seed.value_or(0)},
                                .clock_jump_ms = faults.clock_jump_ms},
      log_(world_.faults, how.seed.value_or(0), faults, what.collab.collab_id),
      messages_(world_.faults, what, log_, given_),
      validator_(how, std::move(rules)), outside_(outside_of(how)),
      key_(session_ids(how, what).next()), config_(how), system_(config_),
      time_(system_, how.virtual_start) {
    actors::leave_actor_system();
  }

  ~faulty_session() {
    if (!processes_.empty())
      end_process();
    // Until all actors are gone: nobody else would run them.
    static_cast<void>(time_.run_until([] { return false; }));
  }

  faulty_session(const faulty_session&) = delete;
  faulty_session& operator=(const faulty_session&) = delete;

  result<session_result> run() {
    for (std::uint32_t process = 0;; ++process) {
      auto ended = live();
      if (ended)
        return *std::move(ended);
      end_process();
      log_.end_process();
      world_.wall_ahead_ms
        += away_ms_.at(world_.faults.draw(fault_kind::power_cut, process, 1));
    }
  }

  void tell(faulty_run& into) const {
    into.text = log_.text();
    into.file = log_.file();
    into.script = world_.faults.script();
    into.counts = world_.faults.counts();
    into.reached = reached_;
    into.given = given_;
  }

private:
  void note(reached_state what) {
    reached_.set(static_cast<std::size_t>(what));
  }

  /// One process, from opening the log on. Nothing: it has died.
  std::optional<result<session_result>> live() {
    session_replay found{spec_.collab.collab_id};
    bool has_events = false;
    const auto opened = log_.open([&](const log_place& place, auto line) {
      has_events = true;
      found.feed(place, line);
    });
    if (log_.is_dead())
      return std::nullopt;
    if (!opened)
      return fail(opened.error());
    if (opened->bytes_cut != 0)
      note(reached_state::log_tail_cut);
    auto process = has_events ? go_on(found.finish()) : begin();
    if (!process)
      return fail(std::move(process).error());
    if (*process == nullptr)
      return std::move(survived_);
    return await(**process);
  }

  std::optional<result<session_result>> await(faulty_process& process) {
    const bool is_over = time_.run_until(
      [&] { return process.outcome.has_value() || log_.is_dead(); });
    if (log_.is_dead())
      return std::nullopt;
    if (!is_over)
      return fail(errc::not_allowed,
                  "nothing is left that could end the session",
                  "session_stuck");
    if (!*process.outcome)
      return fail(process.outcome->error());
    auto closed = log_.close();
    if (log_.is_dead())
      return std::nullopt;
    if (!closed)
      return fail(std::move(closed).error());
    return make_result(*std::move(*process.outcome));
  }

  result<faulty_process*> begin() {
    if (!processes_.empty())
      note(reached_state::began_again);
    const auto name
      = spec_.options.policy.value_or(std::string{to_word(spec_.collab.mode)});
    const auto* policy = modes::find(name);
    if (policy == nullptr)
      return fail(errc::activation_refused, "there is no policy `" + name + "`",
                  "known_policy");
    auto behaviours = bind_behaviours(spec_, spec_.behaviours, {}, true,
                                      outside_);
    if (!behaviours)
      return fail(std::move(behaviours).error());
    auto scenario = spec_;
    scenario.digests = acts_outside(scenario);
    auto machine = session::machine::activate(std::move(scenario), *policy,
                                              key_, validator_.gate());
    if (!machine)
      return fail(std::move(machine).error());
    if (auto valid = validator_.check((*machine)->spec()); !valid)
      return fail(std::move(valid).error());
    return run({.machine = *std::move(machine),
                .behaviours = *std::move(behaviours)},
               0, actors::control::verb::start);
  }

  /// Null: it has ended, and the end has survived.
  result<faulty_process*> go_on(replayed_session found) {
    if (found.divergence)
      return fail(
        {.code = errc::not_allowed,
         .message = "the session cannot continue: " + found.divergence->message,
         .rule = "replay_diverged",
         .line = found.divergence->line});
    auto left = found.standing->release();
    if (found.ended) {
      note(reached_state::end_survived);
      survived_ = make_result(session::make_report(std::move(left.machine)));
      return nullptr;
    }
    auto behaviours = bind_behaviours(left.machine->spec(), left.behaviours, {},
                                      false, outside_);
    if (!behaviours)
      return fail(std::move(behaviours).error());
    left.machine->pass_through(validator_.gate());
    if (std::ranges::any_of(left.outstanding, [](const auto& one) {
          return one.what.kind == session::request_kind::turn;
        }))
      note(reached_state::resumed_with_open_turn);
    const auto deadline = left.machine->next_deadline();
    const bool is_suspended = left.machine->status()
                              == collab_status::suspended;
    auto process = run({.machine = std::move(left.machine),
                        .behaviours = *std::move(behaviours),
                        .outstanding = std::move(left.outstanding),
                        .brings_back = true},
                       found.last_at, actors::control::verb::resume_from_log);
    if (!process)
      return process;
    if (deadline && *deadline <= (*process)->clock.now())
      note(reached_state::resumed_after_deadline);
    if (is_suspended) {
      note(reached_state::resumed_suspended);
      if (world_.owes_resume)
        caf::anon_send((*process)->actor,
                       actors::control{actors::control::verb::resume, {}});
    }
    return process;
  }

  result<faulty_process*> run(actors::session_setup setup,
                              protocol::timestamp_ms last_at,
                              actors::control::verb first) {
    auto conditions = bind_conditions(*setup.machine, {});
    if (!conditions)
      return fail(std::move(conditions).error());
    auto& process = processes_.emplace_back(faulty_process{
      .clock = {{.wall = [this] { return time_.now() + world_.wall_ahead_ms; },
                 .monotonic
                 = [this] { return std::chrono::milliseconds{time_.now()}; }},
                last_at},
      .sink = {world_, log_, may_log_}});
    messages_.begin_process(process.clock);
    process.timekeeper = actors::spawn_timekeeper(system_, process.clock);
    setup.conditions = *std::move(conditions);
    setup.events = &process.sink;
    setup.time = &process.clock;
    setup.outside = &time_;
    setup.answers = validator_.answers();
    setup.faults = &messages_;
    setup.timekeeper = process.timekeeper;
    setup.done = [&process](result<session::report> ended) {
      process.outcome = std::move(ended);
    };
    process.actor = actors::spawn_session(system_, std::move(setup));
    process.sink.serve(process.actor);
    caf::anon_send(process.actor, actors::control{first, {}});
    return &process;
  }

  /// Its actors end as soon as they can.
  void end_process() {
    for (auto& process : processes_) {
      process.sink.end();
      if (process.actor)
        caf::anon_send_exit(process.actor, caf::exit_reason::kill);
      if (process.timekeeper)
        caf::anon_send_exit(process.timekeeper,
                            caf::exit_reason::user_shutdown);
      process.actor = nullptr;
      process.timekeeper = nullptr;
    }
    actors::leave_actor_system();
  }

  const session::spec& spec_;
  actors::distribution away_ms_;
  const log_permission& may_log_;
  faulty_world world_;
  faulty_log log_;
  given_answers given_;
  faulty_messages messages_;
  boundary_validator validator_;
  outside outside_;
  uuid key_;
  states_reached reached_;
  std::optional<result<session_result>> survived_;
  std::list<faulty_process> processes_; ///< actors refer to them to their end

  // Last, so that what actors use outlives them.
  system_config config_;
  caf::actor_system system_;
  virtual_time time_;
};

} // namespace

faulty_run run_with_faults(const session::spec& what,
                           const runtime_options& how, const fault_spec& faults,
                           const log_permission& may_log) {
  faulty_run made;
  auto rules = protocol::boundary::embedded_rules();
  if (!rules) {
    made.ended = fail(std::move(rules).error());
    return made;
  }
  faulty_session session{what, how, faults, may_log, *std::move(rules)};
  made.ended = session.run();
  session.tell(made);
  return made;
}

} // namespace convene::host
