#include <convene/cli/commands/run/approval.hpp>
#include <convene/cli/commands/run/decisions_file.hpp>
#include <convene/cli/commands/run/run_arguments.hpp>
#include <convene/cli/commands/run/scenario_for_seed.hpp>
#include <convene/cli/commands/run/trace_arguments.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/session_store.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/cli/sessions/tally.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <convene/session/spec/modules.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace convene::cli {
namespace {

using protocol::result;
using protocol::uuid_source;

uuid_source ids_for(const run_arguments& arguments) {
  return arguments.seed ? ids_for_seed(*arguments.seed)
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
  if (arguments.seed)
    return runtime.virtual_start;
  const auto passed = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

result<void> check_start(const session::spec& scenario,
                         const run_arguments& arguments,
                         const runtime_options& runtime) {
  auto fit = host::may_start(scenario, runtime);
  if (!fit)
    fit.error().file = arguments.path;
  return fit;
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

/// The scenario, complete and fit to start; nothing has been created so far.
result<session::spec> prepare(const run_arguments& arguments,
                              const runtime_options& runtime, uuid_source& ids,
                              std::vector<host::source_note>& notes,
                              protocol::json::object& aliases) {
  auto roles = assignments(arguments);
  if (!roles)
    return protocol::fail(std::move(roles).error());
  auto scenario = host::load_scenario(
    arguments.path, {.ids = ids,
                     .now = now_for(arguments, runtime),
                     .overrides = arguments.overrides,
                     .assign = std::move(*roles),
                     .seed = arguments.seed,
                     .validate = runtime.validation != validation_level::off,
                     .strict = arguments.strict,
                     .single_agent = arguments.profile == "sa",
                     .allow = &runtime.allow,
                     .notes = &notes,
                     .aliases = &aliases});
  if (!scenario)
    return scenario;
  if (auto joined = join_trace(*scenario, arguments.trace,
                               arguments.seed.has_value(), notes);
      !joined)
    return protocol::fail(std::move(joined).error());
  if (arguments.approval != "require")
    approve_extensions(*scenario, ids, now_for(arguments, runtime));
  if (auto fit = check_start(as_if_approved(*scenario, arguments), arguments,
                             runtime);
      !fit)
    return protocol::fail(as_written(std::move(fit).error(), aliases));
  for (auto& note : host::unknown_roles(*scenario)) {
    note.file = arguments.path;
    notes.push_back(std::move(note));
  }
  return scenario;
}

std::string text_of(const host::source_note& note) {
  return protocol::to_string(protocol::error{.message = note.message,
                                             .file = note.file,
                                             .pointer = note.pointer,
                                             .line = note.line,
                                             .column = note.column});
}

int run(const run_arguments& arguments, const common_options& common) {
  const auto told = [&common](const protocol::error& what) {
    return report(what, common.json);
  };
  if (auto supported = check_supported(arguments); !supported)
    return told(supported.error());

  auto ids = ids_for(arguments);
  auto screen = make_screen(arguments.outside, common, arguments.instances);
  if (!screen)
    return told(screen.error());
  session_order order{.instances = arguments.instances,
                      .screen = *std::move(screen),
                      .show_progress = !common.quiet};
  order.runtime.threads = common.threads;
  order.runtime.seed = arguments.seed;
  order.runtime.validation
    = protocol::from_word<validation_level>(arguments.validation)
        .value_or(validation_level::boundary);
  order.runtime.durability
    = protocol::from_word<durability>(arguments.durability)
        .value_or(durability::group);
  order.runtime.revalidate = arguments.revalidate;
  const bool several = arguments.instances > 1;
  const auto documents
    = protocol::from_word<protocol::kept_documents>(arguments.documents)
        .value_or(protocol::kept_documents::ended);
  auto fits
    = apply(arguments.upkeep, several, order.runtime)
        .and_then([&] { return check_kept(documents, order.runtime); })
        .and_then([&] {
          return check_store(arguments.store, documents, arguments.upkeep);
        })
        .and_then([&] {
          return apply(arguments.outside, common, order.screen, order.runtime);
        });
  if (!fits)
    return told(fits.error());
  allow_own_files(arguments.path, order.runtime);
  std::vector<host::source_note> notes;
  protocol::json::object aliases;
  auto scenario = prepare(arguments, order.runtime, ids, notes, aliases);
  if (!scenario)
    return told(scenario.error());
  if (arguments.approval == "require") {
    const auto approved
      = require_approval(*scenario, standard_approval_terminal(common.json),
                         ids, now_for(arguments, order.runtime))
          .and_then(
            [&] { return check_start(*scenario, arguments, order.runtime); });
    if (!approved)
      return told(approved.error());
  }
  if (!arguments.decisions.empty()) {
    const auto approved = take_decisions(*scenario, arguments.decisions, ids,
                                         now_for(arguments, order.runtime))
                            .and_then([&] {
                              return check_start(*scenario, arguments,
                                                 order.runtime);
                            });
    if (!approved)
      return told(approved.error());
  }
  if (!scenario->seed) // drawn here, so that scenario.json has it
    scenario->seed = ids.next().high;
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(text_of(note));

  auto store = session_store::open(arguments.store);
  if (!store)
    return told(store.error());
  order.store = *std::move(store);
  auto learning = learning_output::open(arguments.learning, order.store);
  if (!learning)
    return told(learning.error());
  order.learning = *std::move(learning);
  // Before anything else is created.
  if (auto enough = host::try_threads(order.runtime, threads_of_run); !enough)
    return told(enough.error());
  const auto out = arguments.out.empty()
                     ? fresh_folder(scenario->collab.collab_id, several)
                     : host::output_folder::create(arguments.out, several);
  if (!out)
    return told(out.error());
  const auto path = out->path().string();
  const bool single = arguments.profile == "sa";
  const auto folder
    = single ? host::output_folder::create(host::session_folder_of(path), false)
             : out;
  if (!folder)
    return told(folder.error());
  // What resuming needs is there before anything runs.
  auto kept = folder->write_scenario(session::encode(*scenario)).and_then([&] {
    return folder->write_settings({.instances = arguments.instances,
                                   .virtual_time = arguments.seed.has_value(),
                                   .validation = order.runtime.validation,
                                   .revalidate = arguments.revalidate,
                                   .durability = order.runtime.durability,
                                   .upkeep = arguments.upkeep,
                                   .documents = documents,
                                   .aliases = std::move(aliases)});
  });
  if (!kept)
    return told(kept.error());
  order.scenario = std::move(*scenario);
  order.runtime.log = folder->log();
  order.runtime.work_folder = folder->path() / "work";

  auto tally = run_sessions(order, *folder);
  if (!tally)
    return told(tally.error());
  if (single) {
    const auto written
      = write_agent_run(*tally, path, order.store.get()).and_then([&] {
          return roll_back_failed(*tally, path, order, arguments.outside,
                                  common);
        });
    if (!written)
      return told(written.error());
  }
  return tell(*tally, path, arguments.instances, notes, common);
}

} // namespace

void add_run(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "run", "Runs a scenario, or a folder of MPLP documents");
  auto arguments = std::make_shared<run_arguments>();
  add_arguments(command, *arguments);
  add_common(command, common);
  command.footer(
    "Example: convene run scenario.json --out results --set "
    "session.max_turns=20\n"
    "Exit codes: 0 completed, 1 cancelled, 2 cannot be run, 3 fault, 130 and "
    "143 after a signal.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return run(*arguments, common); };
  });
}

} // namespace convene::cli
