#include <convene/cli/commands/run/approval.hpp>
#include <convene/cli/commands/run/decisions_file.hpp>
#include <convene/cli/commands/run/remote_run.hpp>
#include <convene/cli/commands/run/run_arguments.hpp>
#include <convene/cli/commands/run/trace_arguments.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/cli/sessions/session_setup.hpp>
#include <convene/cli/sessions/tally.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/lab/simulation/scenario_for_seed.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/extension_approval.hpp>
#include <convene/runtime/data/scenario/reusable_scenario.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <convene/session/spec/modules.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

namespace convene::cli {
namespace {

using protocol::fail;
using protocol::result;
using protocol::uuid_source;

bool is_single(const run_arguments& arguments) {
  return arguments.profile == "sa";
}

uuid_source ids_for(const run_arguments& arguments) {
  return arguments.seed ? host::ids_for_seed(*arguments.seed)
                        : uuid_source::from_entropy();
}

/// `convene-out/<id>`, numbered where that is taken: a scenario that names its
/// session's id can be run again, also by several runs at once.
result<host::output_folder> fresh_folder(const std::string& id, bool several) {
  constexpr int tries_max = 10'000;
  auto path = "convene-out/" + id;
  for (int n = 2;; ++n) {
    std::error_code failed;
    if (n == tries_max || !std::filesystem::exists(path, failed)) {
      auto made = host::output_folder::create(path, several);
      const bool is_taken = !made
                            && (made.error().rule == host::folder_locked
                                || std::filesystem::exists(path, failed));
      if (!is_taken || n == tries_max)
        return made;
    }
    path = "convene-out/" + id + '-' + std::to_string(n);
  }
}

protocol::timestamp_ms now_for(const run_arguments& arguments,
                               const runtime_options& runtime) {
  return arguments.seed ? runtime.virtual_start : now_ms();
}

result<void> check_start(const session::spec& scenario,
                         const run_arguments& arguments,
                         const runtime_options& runtime) {
  if (arguments.is_remote()) // the server knows
    return {};
  auto fit = host::may_start(scenario, runtime);
  if (fit)
    return fit;
  auto why = std::move(fit).error();
  uuid_source unused = uuid_source::from_entropy();
  if (!why.pointer.empty())
    if (const auto read = host::reusable_scenario::from(
          arguments.path, {.ids = unused,
                           .overrides = arguments.overrides,
                           .single_agent = is_single(arguments),
                           .allow = &runtime.allow});
        read)
      why = read->located(std::move(why));
  if (why.file.empty() && why.code != protocol::errc::usage)
    why.file = arguments.path;
  return fail(std::move(why));
}

/// The scenario with its plan approved, and Extensions that need no approval,
/// as far as a person or a file is still to be asked for that: what else is
/// wrong is told before.
session::spec as_if_approved(session::spec scenario,
                             const run_arguments& arguments) {
  const bool asks = arguments.approval == "require"
                    || !arguments.decisions.empty();
  if (asks && scenario.plan
      && (scenario.plan->status == protocol::plan_status::draft
          || scenario.plan->status == protocol::plan_status::proposed))
    scenario.plan->status = protocol::plan_status::approved;
  if (arguments.approval == "require") {
    scenario.extensions
      = session::active_extensions(std::move(scenario.extensions));
    for (auto& each : scenario.extensions)
      each.config.reset();
  }
  return scenario;
}

/// With the id that the user wrote, where the documents have another for it.
protocol::error as_written(protocol::error why,
                           const protocol::json::object& aliases) {
  for (const auto& [native, strict] : aliases)
    if (strict.is_string() && strict.get_string() == why.value) {
      why.value = protocol::shorten(native);
      break;
    }
  return why;
}

/// The options that a session's course depends on besides its scenario, if they
/// are not the default.
protocol::json::object besides_scenario(const run_arguments& arguments) {
  protocol::json::object made;
  const run_arguments usual;
  for (const auto& [name, given, otherwise] :
       {std::tuple{"approval", &arguments.approval, &usual.approval},
        {"validation", &arguments.validation, &usual.validation},
        {"traceparent", &arguments.trace.traceparent, &usual.trace.traceparent},
        {"tracestate", &arguments.trace.tracestate, &usual.trace.tracestate}})
    if (*given != *otherwise)
      made.emplace(name, *given);
  if (!arguments.decisions.empty())
    // One that cannot be read is refused when it is.
    made.emplace("decisions",
                 host::read_file(arguments.decisions).value_or(""));
  return made;
}

/// The scenario, complete and fit to start; nothing has been created so far.
result<session::spec> prepare(const run_arguments& arguments,
                              const runtime_options& runtime, uuid_source& ids,
                              std::vector<host::source_note>& notes,
                              protocol::json::object& aliases) {
  auto roles = assignments(arguments);
  if (!roles)
    return fail(std::move(roles).error());
  auto scenario = host::load_scenario(
    arguments.path, {.ids = ids,
                     .now = now_for(arguments, runtime),
                     .overrides = arguments.overrides,
                     .assign = std::move(*roles),
                     .seed = arguments.seed,
                     .besides = besides_scenario(arguments),
                     .validate = runtime.validation != validation_level::off,
                     .strict = arguments.strict,
                     .single_agent = is_single(arguments),
                     .allow = &runtime.allow,
                     .notes = &notes,
                     .aliases = &aliases});
  if (!scenario)
    return scenario;
  if (auto joined = join_trace(*scenario, arguments.trace,
                               arguments.seed.has_value(), notes);
      !joined)
    return fail(std::move(joined).error());
  if (arguments.approval != "require")
    host::approve_extensions(*scenario, ids, now_for(arguments, runtime));
  if (auto fit = check_start(as_if_approved(*scenario, arguments), arguments,
                             runtime);
      !fit)
    return fail(as_written(std::move(fit).error(), aliases));
  return scenario;
}

std::string text_of(const host::source_note& note) {
  return protocol::to_string(protocol::error{.message = note.message,
                                             .file = note.file,
                                             .pointer = note.pointer,
                                             .line = note.line,
                                             .column = note.column});
}

/// How sessions are run as the options say it. Refuses options that do not go
/// together.
result<session_order> order_of(const run_arguments& arguments,
                               const common_options& common) {
  if (auto supported = check_supported(arguments); !supported)
    return fail(std::move(supported).error());
  auto order = make_order(
    {.instances = arguments.instances,
     .virtual_time = arguments.seed.has_value(),
     .validation = protocol::from_word<validation_level>(arguments.validation)
                     .value_or(validation_level::boundary),
     .revalidate = arguments.revalidate,
     .durability = protocol::from_word<durability>(arguments.durability)
                     .value_or(durability::group),
     .upkeep = arguments.upkeep,
     .documents
     = protocol::from_word<protocol::kept_documents>(arguments.documents)
         .value_or(protocol::kept_documents::ended)},
    arguments.outside, common);
  if (!order)
    return order;
  order->runtime.seed = arguments.seed;
  order->fails_on_turns = !arguments.fail_on.empty();
  order->of_agent = is_single(arguments);
  if (auto fits = place_upkeep(*order, arguments.upkeep,
                               arguments.instances > 1, arguments.store);
      !fits)
    return fail(std::move(fits).error());
  guard_outputs(*order, arguments.store, arguments.learning);
  allow_own_files(arguments.path, order->runtime);
  return order;
}

/// Has a person or a file approve the scenario, if one is to.
result<void> approve(session::spec& scenario, const run_arguments& arguments,
                     const runtime_options& runtime, uuid_source& ids,
                     bool json) {
  const auto now = now_for(arguments, runtime);
  result<void> approved;
  if (arguments.approval == "require")
    approved = require_approval(scenario, standard_approval_terminal(json), ids,
                                now);
  else if (!arguments.decisions.empty())
    approved = take_decisions(scenario, arguments.decisions, ids, now);
  else
    return {};
  return approved.and_then(
    [&] { return check_start(scenario, arguments, runtime); });
}

/// A run without a seed is another one each time: what a store has of one of
/// its sessions is refused before anything begins.
result<void> check_stored(const session_order& order) {
  if (!order.store || order.runtime.seed)
    return {};
  for (std::uint32_t i = 0; i < order.settings.instances; ++i) {
    const auto id = host::session_id_of(*order.scenario, i);
    if (order.store->has(id))
      return fail({.code = protocol::errc::usage,
                   .message = "--store: it has a session with this id from "
                              "another run, and does not replace it; leave "
                              "collab_id out, set another one, or give "
                              "another store",
                   .rule = "document_exists",
                   .value = protocol::shorten(id)});
  }
  return {};
}

/// What `run` checks before it creates anything, and what would be run.
result<int> rehearse(session_order& order, const run_arguments& arguments,
                     const std::vector<host::source_note>& notes,
                     const common_options& common) {
  const auto is_there = session_store::is_there(arguments.store);
  if (!is_there)
    return fail(is_there.error());
  if (*is_there)
    if (auto opened = open_outputs(order, arguments.store, {}).and_then([&] {
          return check_stored(order);
        });
        !opened)
      return fail(std::move(opened).error());
  if (!arguments.out.empty())
    if (auto free = host::output_folder::check_free(arguments.out); !free)
      return fail(std::move(free).error());
  if (auto tried = host::try_threads(order.runtime, threads_of_run); !tried)
    return fail(std::move(tried).error());
  const auto& collab = order.scenario->collab;
  const std::string mode{protocol::to_word(collab.mode)};
  if (common.json) {
    protocol::json::array told;
    for (const auto& note : notes)
      told.emplace_back(text_of(note));
    print_json(
      protocol::json::object{{"dry_run", true},
                             {"mode", mode},
                             {"participants", collab.participants.size()},
                             {"instances", arguments.instances},
                             {"notes", std::move(told)}});
  } else if (!common.quiet) {
    print_line(fmt::format("ready to run: {}, {}, {}; nothing was started",
                           collab.title, mode,
                           plural(collab.participants.size(), "participant")));
  }
  return exit_good;
}

/// The folder of the run and that of its sessions, which is another one for a
/// single agent. What resuming needs is there before anything runs.
struct run_folders {
  host::output_folder run;
  host::output_folder sessions;
};

result<run_folders> create_folders(const run_arguments& arguments,
                                   const session_order& order) {
  const bool several = arguments.instances > 1;
  auto run = arguments.out.empty()
               ? fresh_folder(order.scenario->collab.collab_id, several)
               : host::output_folder::create(arguments.out, several);
  if (!run)
    return fail(std::move(run).error());
  auto sessions = is_single(arguments) ? host::output_folder::create(
                    host::session_folder_of(run->path()), false)
                                       : run;
  if (!sessions)
    return fail(std::move(sessions).error());
  auto kept
    = sessions->write_scenario(session::encode(*order.scenario)).and_then([&] {
        return sessions->write_settings(order.settings);
      });
  if (!kept)
    return fail(std::move(kept).error());
  return run_folders{*std::move(run), *std::move(sessions)};
}

/// Follows the session where it runs. What it leaves is written here as if it
/// had run here.
result<int> run_elsewhere(session_order& order, const run_arguments& arguments,
                          const std::vector<host::source_note>& notes,
                          const common_options& common) {
  auto ready
    = open_outputs(order, arguments.store, arguments.learning).and_then([&] {
        return check_stored(order);
      });
  if (ready && !arguments.out.empty())
    ready = host::output_folder::check_free(arguments.out);
  if (!ready)
    return fail(ready.error());
  const auto followed = run_on_servers(arguments, *order.scenario,
                                       order.screen.get());
  if (!followed)
    return fail(followed.error());
  order.screen.reset();
  if (followed->signal != 0)
    return exit_signal + followed->signal;
  const auto folders = create_folders(arguments, order);
  if (!folders)
    return fail(folders.error());
  if (auto kept = followed->write_log(folders->sessions.log()); !kept)
    return fail(kept.error());
  auto tally = run_sessions(order, folders->sessions);
  if (!tally)
    return fail(tally.error());
  return tell(*tally, folders->run.path().string(), 1, notes, common);
}

result<int> run(const run_arguments& arguments, const common_options& common) {
  auto order = order_of(arguments, common);
  if (!order)
    return fail(order.error());
  auto ids = ids_for(arguments);
  std::vector<host::source_note> notes;
  auto scenario = prepare(arguments, order->runtime, ids, notes,
                          order->settings.aliases);
  if (!scenario)
    return fail(scenario.error());
  // A person is not asked about what is not run.
  if (!arguments.dry_run || arguments.approval != "require")
    if (auto approved = approve(*scenario, arguments, order->runtime, ids,
                                common.json);
        !approved)
      return fail(approved.error());
  if (!scenario->seed) // drawn here, so that scenario.json has it
    scenario->seed = ids.next().high;
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(text_of(note));
  order->scenario = *std::move(scenario);
  if (arguments.dry_run)
    return rehearse(*order, arguments, notes, common);
  if (arguments.is_remote())
    return run_elsewhere(*order, arguments, notes, common);

  // Threads are tried before anything else is created.
  auto ready = open_outputs(*order, arguments.store, arguments.learning)
                 .and_then([&] { return check_stored(*order); })
                 .and_then([&] {
                   return host::try_threads(order->runtime, threads_of_run);
                 });
  if (!ready)
    return fail(ready.error());
  const auto folders = create_folders(arguments, *order);
  if (!folders)
    return fail(folders.error());
  auto tally = run_sessions(*order, folders->sessions);
  if (!tally)
    return fail(tally.error());
  const auto path = folders->run.path().string();
  if (is_single(arguments))
    if (auto ended = finish_agent_run(*tally, path, *order, arguments.outside,
                                      common);
        !ended)
      return fail(ended.error());
  return tell(*tally, path, arguments.instances, notes, common);
}

} // namespace

void add_run(const command_line& program) {
  program.add<run_arguments>("run", run, add_arguments);
}

} // namespace convene::cli
