#include <caf/send.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/node_place.hpp>
#include <convene/actors/leave_actor_system.hpp>
#include <convene/actors/session.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/more_functions.hpp>
#include <convene/runtime/quiet_scheduler.hpp>
#include <convene/runtime/session_ids.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <convene/session/spec/role_ids.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace convene {
namespace {

/// spdlog's loggers, made before the application has objects, are destroyed
/// after them: a runtime may log while the program ends.
[[gnu::constructor(101)]] void make_loggers() {
  static_cast<void>(spdlog::default_logger_raw());
}

} // namespace

using protocol::errc;
using protocol::fail;

void session_handle::shared::finish(result<session_result> how) {
  {
    const std::lock_guard held{mutex};
    if (outcome)
      return;
    outcome = std::make_unique<const result<session_result>>(std::move(how));
    actor = nullptr;
    waiting.reset();
    const auto* known = left ? left.get() : *outcome ? &**outcome : nullptr;
    board.end(known != nullptr ? std::optional{known->status} : std::nullopt);
  }
  ended.notify_all();
  call_those_waiting();
}

void session_handle::shared::refuse(error why) {
  finish(tl::unexpected(std::move(why)));
  const std::lock_guard held{mutex};
  is_refused = true;
}

std::optional<error> session_handle::shared::refuse_wait() {
  const bool is_own_turn = host::running_functions::runs_turn_of(id);
  if (is_done() || system == nullptr
      || !(is_own_turn || host::runs_caller(*system)))
    return std::nullopt;
  return error{.code = errc::not_allowed,
               .message = "the session cannot end while this call waits for "
                          "it: await it on a thread of the application, or "
                          "in a blocking agent's turn of another session",
               .rule = std::string{await_inside}};
}

void session_handle::shared::leave(session_result so_far) {
  {
    const std::lock_guard held{mutex};
    left = std::make_shared<const session_result>(std::move(so_far));
  }
  finish(protocol::fail(protocol::errc::not_allowed,
                        "the session was suspended",
                        std::string{actors::session_suspended}));
}

bool session_handle::shared::is_done() {
  const std::lock_guard held{mutex};
  return outcome != nullptr;
}

void session_handle::shared::send(actors::control what) {
  {
    const auto still = virtual_clock != nullptr ? virtual_clock->lock()
                                                : host::virtual_time::held{};
    const std::lock_guard held{mutex};
    constexpr std::size_t waiting_max = 1'000;
    if (waiting && waiting->size() < waiting_max) {
      waiting->push_back(std::move(what));
      return;
    }
    if (actor && !waiting) {
      caf::anon_send(actor, std::move(what));
      return;
    }
  }
  if (what.then)
    what.then(protocol::fail(protocol::errc::not_allowed,
                             "the session has ended", "session_ended"));
}

namespace host {

system_config::system_config(const runtime_options& how) {
  actors::add_messages(*this);
  set("logger.verbosity", caf::atom("quiet"));
  if (how.seed) {
    set("scheduler.policy", caf::atom("testing"));
    return;
  }
  set("scheduler.max-threads", workers_of(how)); // CAF's default is at least 4
  use_quiet_scheduler(*this);
}

void late_counter::note(std::string_view session_id,
                        std::string_view participant_id) {
  ++count;
  spdlog::debug("session {}: {} answered after the session had ended",
                session_id, participant_id);
}

} // namespace host

runtime::implementation::implementation(
  const runtime_options& how, std::unique_ptr<host::event_log_writer> log,
  std::shared_ptr<host::blob_keeper> blobs_of_log,
  std::shared_ptr<host::session_register> on_log,
  std::shared_ptr<const protocol::boundary::rules> rules,
  const host::log_clock& time_of_log)
  : options(how), boundary_validator(how, std::move(rules)),
    sink(std::move(log), how.durability, how.seed.has_value()),
    archive(how.store ? std::make_unique<host::session_archive>(how.store)
                      : nullptr),
    clock(time_of_log), outside(host::outside_of(how)),
    pool({.threads = how.blocking_threads, .queue = how.blocking_queue}),
    blob_files(std::move(blobs_of_log)), logged(std::move(on_log)),
    ids(how.seed ? protocol::uuid_source{*how.seed}
                 : protocol::uuid_source::from_entropy()),
    config(how), system(config) {
  if (blob_files)
    blobs = std::make_shared<host::stored_blobs>(blob_files,
                                                 how.seed ? nullptr : &pool);
  if (!how.log.empty() && how.snapshot_events != 0)
    snapshots.emplace(how.log, [this] { return sink.flush_closed(); });
  if (how.seed)
    virtual_clock.emplace(system, how.virtual_start);
  timekeeper = actors::spawn_timekeeper(system, time());
  actors::leave_actor_system();
}

const actors::time_source& runtime::implementation::time() const {
  if (virtual_clock)
    return *virtual_clock;
  return clock;
}

bool runtime::implementation::runs_caller() {
  return virtual_clock ? virtual_clock->runs_caller()
                       : host::runs_caller(system);
}

bool host::runs_caller(caf::actor_system& system) {
  auto* const workers = dynamic_cast<quiet_coordinator*>(&system.scheduler());
  return workers != nullptr && workers->runs_caller();
}

namespace {

/// The refusal of a function whose participant nobody has heard of.
tl::unexpected<error>
unknown_participant(const session::spec& scenario,
                    const std::map<std::string, participant>& functions) {
  const auto unknown = std::ranges::find_if(functions, [&](const auto& f) {
    return find_participant(scenario, f.first) == session::no_participant;
  });
  return fail({.code = errc::activation_refused,
               .message = "a function is given for an unknown participant",
               .rule = "known_participant",
               .value = protocol::shorten(unknown->first)});
}

tl::unexpected<error> unbound_participant(const std::string& id,
                                          std::size_t position) {
  return fail({.code = errc::activation_refused,
               .message = "the participant has no function: give it one, or "
                          "start a scenario with a behavior for it",
               .pointer = "/collab/participants/" + std::to_string(position),
               .rule = "participant_unbound",
               .value = protocol::shorten(id)});
}

/// The function, whose calls are noted while they run.
reply_function watched(reply_function ask,
                       std::shared_ptr<host::running_functions> called) {
  return [ask = std::move(ask),
          called = std::move(called)](const turn_request& asked) {
    const host::running_functions::call here{*called, asked};
    return ask(asked);
  };
}

/// Calls a function that names the time that its answer took.
class timed_behaviour final : public actors::behaviour {
public:
  explicit timed_behaviour(timed_reply_function ask) : ask_{std::move(ask)} {}

  actors::answer respond(const turn_request& asked) override {
    actors::answer made;
    const auto threw = actors::catch_error([&] {
      auto said = ask_(asked);
      made = {.reply = std::move(said.reply), .delay_ms = said.delay_ms};
    });
    if (threw)
      made.reply = {.status = protocol::reply_status::failed,
                    .error = {"behaviour_threw", *threw}};
    return made;
  }

private:
  timed_reply_function ask_;
};

/// Of functions whose behaviours are to run on another node.
result<void>
check_not_elsewhere(const session::spec& scenario,
                    const std::map<std::string, participant>& functions) {
  for (const auto& [id, unused] : functions) {
    const auto entry = actors::entry_for(scenario, id);
    if (entry.key != id || entry.config == nullptr
        || !actors::names_node(*entry.config))
      continue;
    std::string pointer = "/behaviours";
    protocol::append_to_pointer(pointer, id);
    if (auto may = actors::read_node_place(*entry.config, pointer); !may)
      return fail(std::move(may).error());
  }
  return {};
}

} // namespace

host::outside_options host::outside_of(const runtime_options& how) {
  auto guarded = how.guarded;
  if (!how.log.empty())
    guarded.push_back(how.log.has_parent_path() ? how.log.parent_path()
                                                : how.log);
  if (!how.work_folder.empty())
    guarded.push_back(how.work_folder);
  return {.allow = how.allow,
          .work_folder = how.work_folder,
          .sandbox = how.sandbox,
          .guarded = std::move(guarded),
          .log_prompts = how.log_prompts && has_blobs(how.log),
          .people = how.people,
          .on_text = how.on_text,
          .executors = how.executors,
          .virtual_time = how.seed.has_value(),
          .other_nodes = how.other_nodes};
}

result<std::vector<std::shared_ptr<actors::behaviour>>>
host::bind_behaviours(const session::spec& scenario,
                      const protocol::json::object& behaviours,
                      const std::map<std::string, participant>& functions,
                      bool all_used, outside& reached,
                      const std::shared_ptr<running_functions>& called,
                      const std::shared_ptr<actors::task_places>& by_task) {
  // Plans and tasks can be large, and behaviours do not depend on them.
  session::spec settings{.collab = scenario.collab,
                         .options = scenario.options,
                         .behaviours = behaviours,
                         .mcp_servers = scenario.mcp_servers,
                         .seed = scenario.seed};
  if (auto may = check_not_elsewhere(settings, functions); !may)
    return tl::unexpected(std::move(may).error());
  for (const auto& [id, unused] : functions)
    settings.behaviours[id] = {{"type", "echo"}};
  if (auto may = reached.check(settings); !may)
    return tl::unexpected(std::move(may).error());
  auto made = actors::behaviours_for(settings, scenario.seed.value_or(0),
                                     &reached, by_task);
  if (!made)
    return tl::unexpected(std::move(made).error());
  std::size_t used = 0;
  std::vector<std::shared_ptr<actors::behaviour>> all;
  all.reserve(made->size());
  for (std::size_t i = 0; i < made->size(); ++i) {
    const auto bound
      = functions.find(scenario.collab.participants[i].participant_id);
    if (bound == functions.end()) {
      all.push_back(std::move((*made)[i]));
      continue;
    }
    ++used;
    const auto& by = bound->second;
    if (!by.is_bound())
      return unbound_participant(bound->first, i);
    if (by.respond_later)
      all.push_back(
        std::make_shared<actors::async_function_behaviour>(by.respond_later));
    else if (by.respond_timed)
      all.push_back(std::make_shared<timed_behaviour>(by.respond_timed));
    else if (by.blocks == actors::blocking::yes)
      all.push_back(std::make_shared<actors::function_behaviour>(
        watched(by.respond, called)));
    else
      all.push_back(
        std::make_shared<actors::function_behaviour>(by.respond, by.blocks));
  }
  if (all_used && used < functions.size())
    return unknown_participant(scenario, functions);
  return all;
}

result<std::vector<actors::custom_condition>>
host::bind_conditions(const session::machine& session,
                      std::map<std::string, condition_function> functions) {
  std::vector<actors::custom_condition> all;
  for (auto& name : session.custom_conditions()) {
    const auto found = functions.find(name);
    if (found == functions.end() || !found->second)
      return fail({.code = errc::activation_refused,
                   .message = "no function is given for this condition; only "
                              "a program that embeds convene can",
                   .pointer = "/session/end",
                   .rule = "known_condition",
                   .value = protocol::shorten(name)});
    all.push_back({std::move(name), std::move(found->second), {}});
  }
  return all;
}

result<void> runtime::implementation::admit(
  const std::shared_ptr<session_handle::shared>& into) {
  if (closing)
    return fail(errc::not_allowed, "the runtime is closing", "runtime_closing");
  if (running.size() >= options.sessions_max)
    return fail(errc::limit_reached,
                "as many sessions run as this runtime allows", "sessions_max");
  if (!running.emplace(into->id, into).second)
    return fail(errc::not_allowed, "a session with this id is running",
                "session_id");
  return {};
}

result<void> runtime::implementation::launch(
  const std::shared_ptr<session_handle::shared>& into, session::spec scenario,
  start_options&& how) {
  const auto name = scenario.options.policy.value_or(
    std::string{to_word(scenario.collab.mode)});
  const auto* policy = modes::find(name);
  if (policy == nullptr)
    return fail(host::no_policy(name));
  host::spread_default_function(how.functions, scenario, scenario.behaviours);
  // A function is nothing that the log can hold: it says that there was one.
  for (const auto& [id, unused] : how.functions)
    scenario.behaviours[id] = {{"type", "function"}};
  if (auto made = host::make_application_behaviours(
        how.functions, scenario, scenario.behaviours, options.behaviours);
      !made)
    return made;
  std::optional<protocol::uuid_source> seeded;
  if (options.seed)
    seeded = host::session_ids(options, scenario);
  protocol::uuid key;
  std::shared_ptr<actors::task_places> places;
  {
    const std::lock_guard held{mutex};
    if (!options.log.empty() && !logged->add(into->id))
      return fail(errc::not_allowed,
                  "a session with this id is on the log already", "session_id");
    if (auto admitted = admit(into); !admitted) {
      logged->take_back(into->id);
      return admitted;
    }
    auto& own = seeded ? *seeded : ids;
    do
      key = own.next();
    while (used_keys.contains(key));
    if (!scenario.seed)
      scenario.seed = own.next().high;
    places = std::exchange(by_task, nullptr);
  }
  scenario.digests
    = acts_outside(scenario)
      || std::ranges::any_of(how.functions, [](const auto& each) {
           return static_cast<bool>(each.second.respond_later);
         });
  auto begun = begin(into, std::move(scenario), *policy, key, std::move(how),
                     places);
  if (!begun) {
    forget(into->id);
    logged->take_back(into->id);
  }
  return begun;
}

result<void> runtime::implementation::begin(
  const std::shared_ptr<session_handle::shared>& into, session::spec scenario,
  const session::routing_policy& policy, const protocol::uuid& key,
  start_options&& how, const std::shared_ptr<actors::task_places>& places) {
  if (auto known = session::check_role_ids(scenario); !known)
    return known;
  auto behaviours = host::bind_behaviours(scenario, scenario.behaviours,
                                          how.functions, true, outside,
                                          functions, places);
  if (!behaviours)
    return tl::unexpected(std::move(behaviours).error());
  auto machine = session::machine::activate(std::move(scenario), policy, key,
                                            boundary_validator.gate());
  if (!machine)
    return tl::unexpected(std::move(machine).error());
  auto conditions = host::bind_conditions(**machine, std::move(how.conditions));
  if (!conditions)
    return tl::unexpected(std::move(conditions).error());
  if (auto valid = boundary_validator.check((*machine)->spec()); !valid)
    return valid;
  run(into,
      {.machine = std::move(*machine),
       .behaviours = std::move(*behaviours),
       .conditions = std::move(*conditions)},
      std::move(how.observer), actors::control::verb::start);
  return {};
}

void runtime::implementation::run(
  const std::shared_ptr<session_handle::shared>& into,
  actors::session_setup setup, convene::observer watch,
  actors::control::verb first, std::string why) {
  if (watch)
    into->sink.emplace(sink, std::move(watch));
  setup.events = into->sink ? static_cast<actors::event_sink*>(&*into->sink)
                            : &sink;
  if (snapshots) {
    if (!into->saved) {
      into->saved = std::make_shared<host::saved_session>();
      into->saved->id = into->id;
      into->saved->has_file = first == actors::control::verb::resume_from_log;
    }
    into->counted.emplace(*setup.events, *snapshots, into->saved,
                          options.snapshot_events, into->unsaved);
    setup.events = &*into->counted;
  }
  if (!into->about)
    into->about
      = std::make_shared<const session::session_info>(setup.machine->info());
  setup.about = into->about;
  into->board.write(*setup.machine);
  setup.board = &into->board;
  setup.time = &time();
  setup.runner = virtual_clock ? nullptr : &pool;
  setup.outside = virtual_clock ? &*virtual_clock : nullptr;
  setup.late = late;
  setup.blobs = blobs;
  setup.answers = boundary_validator.answers();
  setup.strict = options.durability == durability::strict;
  setup.timekeeper = timekeeper;
  if (!options.log.empty()) {
    into->behaviours = setup.behaviours;
    into->conditions = setup.conditions;
    setup.restart = [this, into](const error& failed) {
      return restart_session(into, failed);
    };
  }
  setup.done = [this, into](result<session::report> ended) {
    const bool is_left = ended
                         && !session::has_session_ended(ended->outcome.status);
    if (ended)
      boundary_validator.note(*ended);
    if (ended && !is_left && snapshots)
      snapshots->forget(into->saved);
    auto made = std::move(ended).map(
      [](session::report&& from) { return make_result(std::move(from)); });
    if (archive)
      made && !is_left ? archive->ended(*made) : archive->forget(into->id);
    drop(into);
    if (is_left)
      into->leave(*std::move(made));
    else
      into->finish(std::move(made));
    settle();
  };
  const auto still = hold_time();
  auto actor = actors::spawn_session(system, std::move(setup));
  {
    const std::lock_guard held{into->mutex};
    into->actor = actor;
    // Before anybody else can say something.
    caf::anon_send(actor, actors::control{first, std::move(why)});
    if (auto told = std::exchange(into->waiting, std::nullopt))
      for (auto& what : *told)
        caf::anon_send(actor, std::move(what));
  }
  // Whoever closed in the meantime had nobody to tell.
  const std::lock_guard held{mutex};
  if (closing)
    caf::anon_send(actor,
                   actors::control{closing_as, std::string{closed_reason}});
}

/// Handles may stay; what the observer and the behaviours hold goes now.
void runtime::implementation::drop(
  const std::shared_ptr<session_handle::shared>& ended) {
  {
    const std::lock_guard held{mutex};
    running.erase(ended->id);
    ++ending;
  }
  ended->counted.reset();
  ended->sink.reset();
  ended->behaviours.clear();
  ended->conditions.clear();
}

void runtime::implementation::settle() {
  const std::lock_guard held{mutex};
  --ending;
  idle.notify_all();
}

void runtime::implementation::forget(const std::string& id) {
  const std::lock_guard held{mutex};
  running.erase(id);
  idle.notify_all();
}

} // namespace convene
