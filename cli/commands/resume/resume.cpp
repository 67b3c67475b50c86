#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/session_store.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/tally.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace convene::cli {
namespace {

using protocol::error;

/// The scenario that a run wrote, or none where the folder has none.
protocol::result<std::optional<session::spec>>
scenario_of(const host::output_folder& folder) {
  if (!folder.has_scenario())
    return std::nullopt;
  auto read = folder.read_scenario();
  if (!read)
    return protocol::fail(std::move(read).error());
  auto scenario = session::decode_spec(*read);
  if (!scenario) {
    auto why = std::move(scenario).error();
    why.file = (folder.path() / "scenario.json").string();
    return protocol::fail(std::move(why));
  }
  return std::move(*scenario);
}

/// Whether the documents of all sessions on the log have a place.
protocol::result<void> has_room(const host::output_folder& folder) {
  std::error_code failed;
  const auto log = folder.path() / "events.jsonl";
  if (!std::filesystem::is_regular_file(log, failed))
    return {};
  std::set<protocol::uuid> ids;
  const auto read
    = host::visit_log(log, [&](const host::log_place&, std::string_view text) {
        if (const auto id = host::session_of(text))
          ids.insert(*id);
      });
  // A file that was only begun is begun again, another one is refused then.
  if (!read && read.error().rule != "not_a_log")
    return protocol::fail(read.error());
  if (ids.size() > 1)
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "has " + std::to_string(ids.size())
                  + " sessions, and a folder with events.jsonl has room for "
                    "the documents of one; put it into a new folder as "
                    "log/000001.jsonl and resume that",
       .file = log.string(),
       .rule = "one_session"});
  return {};
}

/// A run that was rolled back before it had ended stays as it is.
protocol::result<void> may_go_on(const std::filesystem::path& run) {
  if (!host::was_rolled_back(run))
    return {};
  const auto stages = host::read_stages(run);
  if (!stages)
    return protocol::fail(stages.error());
  if (stages->has_ended())
    return {};
  return protocol::fail(
    {.code = protocol::errc::not_allowed,
     .message = "was interrupted and then rolled back: it cannot go on; run "
                "its scenario anew",
     .file = run.string(),
     .rule = "rolled_back"});
}

std::optional<std::uint64_t> first_of(std::optional<std::uint64_t> one,
                                      std::optional<std::uint64_t> other) {
  return one ? one : other;
}

bool has_nothing_to_do(const session_tally& tally) {
  return tally.found == 0 && tally.results.empty() && tally.failed.empty()
         && tally.signal == 0 && !tally.store_failure;
}

struct resume_arguments {
  std::string path;
  std::string store;
  learning_arguments learning;
  host::log_upkeep upkeep;
  outside_arguments outside;
  bool accept_loss = false;
};

/// What can be done about an error of opening the log.
error advised(error why, const std::string& path) {
  if (why.rule == host::session_end_missing)
    why.message += "; put the log back as it was, or give up what is missing: "
                   "convene resume "
                   + path + " --accept-loss";
  return why;
}

int resume(const resume_arguments& arguments, const common_options& common) {
  const auto& path = arguments.path;
  const auto& upkeep = arguments.upkeep;
  const auto told = [&common](const protocol::error& what) {
    return report(what, common.json);
  };
  const bool single = host::is_agent_folder(path);
  auto folder = host::output_folder::open(single ? host::session_folder_of(path)
                                                 : std::filesystem::path{path});
  if (!folder)
    return told(folder.error());
  if (auto taken = folder->take(); !taken)
    return told(taken.error());
  if (auto room = has_room(*folder); !room)
    return told(room.error());
  if (single)
    if (auto may = may_go_on(path); !may)
      return told(may.error());
  const auto settings = folder->read_settings();
  if (!settings)
    return told(settings.error());
  auto scenario = scenario_of(*folder);
  if (!scenario)
    return told(scenario.error());

  auto screen = make_screen(arguments.outside, common, settings->instances);
  if (!screen)
    return told(screen.error());
  session_order order{.scenario = std::move(*scenario),
                      .instances = settings->instances,
                      .accept_loss = arguments.accept_loss,
                      .screen = *std::move(screen),
                      .show_progress = !common.quiet};
  order.runtime.threads = common.threads;
  order.runtime.validation = settings->validation;
  order.runtime.revalidate = settings->revalidate;
  order.runtime.durability = settings->durability;
  order.runtime.log = folder->log();
  if (settings->virtual_time)
    order.runtime.seed = order.scenario ? order.scenario->seed.value_or(0) : 0;
  const host::log_upkeep both{
    .snapshot_events = first_of(upkeep.snapshot_events,
                                settings->upkeep.snapshot_events),
    .keep_bytes = first_of(upkeep.keep_bytes, settings->upkeep.keep_bytes)};
  auto fits
    = apply(both, folder->in_segments(), order.runtime)
        .and_then([&] {
          return apply(arguments.outside, common, order.screen, order.runtime);
        })
        .and_then([&] {
          return check_store(arguments.store, settings->documents, both);
        });
  if (!fits)
    return told(fits.error());
  auto store = session_store::open(arguments.store);
  if (!store)
    return told(store.error());
  order.store = *std::move(store);
  auto learning = learning_output::open(arguments.learning, order.store);
  if (!learning)
    return told(learning.error());
  order.learning = *std::move(learning);
  order.runtime.work_folder = folder->path() / "work";
  allow_own_files(path, order.runtime);

  auto tally = run_sessions(order, *folder);
  if (!tally)
    return told(advised(tally.error(), path));
  if (single) {
    const auto written
      = write_agent_run(*tally, path, order.store.get()).and_then([&] {
          return roll_back_failed(*tally, path, order, arguments.outside,
                                  common);
        });
    if (!written)
      return told(written.error());
  }
  if (tally->bytes_cut != 0)
    print_note(fmt::format("{} bytes at the end of the log were never "
                           "acknowledged and have been cut off",
                           tally->bytes_cut));
  if (!has_nothing_to_do(*tally))
    return tell(*tally, path, settings->instances, {}, common);
  if (common.json)
    print_json(protocol::json::object{{"out", protocol::sanitize_utf8(path)},
                                      {"finished", true}});
  else if (!common.quiet)
    print(neutral(fmt::format("Nothing to resume: all sessions of {} have "
                              "ended and their documents are written",
                              path))
          + '\n');
  return exit_good;
}

} // namespace

void add_resume(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "resume", "Resumes a run that was killed or suspended");
  auto arguments = std::make_shared<resume_arguments>();
  command.add_option("DIR", arguments->path, "A folder that a run wrote")
    ->required()
    ->option_text(" ");
  command.add_flag("--accept-loss", arguments->accept_loss,
                   "Continue although the log has lost the end of sessions "
                   "that had ended: they continue from what is left, or run "
                   "again, and their documents are replaced");
  add_store(command, arguments->store);
  add_learning(command, arguments->learning);
  add_log_upkeep(command, arguments->upkeep);
  add_outside(command, arguments->outside);
  add_common(command, common);
  command.footer(
    "Example: convene resume convene-out/review\nSessions continue where the "
    "log ends. After a crash or power cut, open turns are asked again under "
    "the same number and token. After a signal, or "
    "if a deadline passed while nothing ran, they get new numbers and tokens. "
    "Everything else is as for run.\nExit codes: as for run.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return resume(*arguments, common); };
  });
}

} // namespace convene::cli
