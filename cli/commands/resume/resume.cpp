#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/session_setup.hpp>
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
#include <optional>
#include <set>
#include <string>

namespace convene::cli {
namespace {

using protocol::error;
using protocol::fail;
using protocol::result;

/// The scenario that a run wrote, or none where the folder has none.
result<std::optional<session::spec>>
scenario_of(const host::output_folder& folder) {
  if (!folder.has_scenario())
    return std::nullopt;
  auto read = folder.read_scenario();
  if (!read)
    return fail(std::move(read).error());
  auto scenario = session::decode_spec(*read);
  if (!scenario) {
    auto why = std::move(scenario).error();
    why.file = (folder.path() / "scenario.json").string();
    return fail(std::move(why));
  }
  return std::move(*scenario);
}

/// Whether the documents of all sessions on the log have a place.
result<void> has_room(const host::output_folder& folder) {
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
    return fail(read.error());
  if (ids.size() > 1)
    return fail(
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
result<void> may_go_on(const std::filesystem::path& run) {
  if (!host::was_rolled_back(run))
    return {};
  const auto stages = host::read_stages(run);
  if (!stages)
    return fail(stages.error());
  if (stages->has_ended())
    return {};
  return fail(
    {.code = protocol::errc::not_allowed,
     .message
     = "was interrupted and then rolled back: it cannot be resumed; run "
       "its scenario again",
     .file = run.string(),
     .rule = "rolled_back"});
}

bool has_nothing_to_do(const session_tally& tally) {
  return tally.found == 0 && tally.results.empty() && tally.failed.empty()
         && tally.signal == 0 && !tally.store_failure;
}

struct resume_arguments {
  std::string path;
  std::string store;
  std::string fail_on;
  learning_arguments learning;
  host::log_upkeep upkeep;
  outside_arguments outside;
  bool accept_loss = false;
};

void add_options(const command_line& command, resume_arguments& arguments) {
  command.add("DIR", arguments.path).required();
  command.add("--accept-loss", arguments.accept_loss);
  add_fail_on(command, arguments.fail_on);
  add_store(command, arguments.store);
  add_learning(command, arguments.learning);
  add_log_upkeep(command, arguments.upkeep);
  add_outside(command, arguments.outside);
}

/// What can be done about an error of opening the log.
error advised(error why, const std::string& path) {
  if (why.rule == host::session_end_missing)
    why.message += "; put the log back as it was, or give up what is missing: "
                   "convene resume "
                   + path + " --accept-loss";
  return why;
}

/// How the sessions of the folder go on.
result<session_order> order_of(const resume_arguments& arguments,
                               const common_options& common,
                               const host::output_folder& folder) {
  auto settings = folder.read_settings();
  if (!settings)
    return fail(std::move(settings).error());
  auto scenario = scenario_of(folder);
  if (!scenario)
    return fail(std::move(scenario).error());
  auto upkeep = arguments.upkeep;
  if (!upkeep.snapshot_events)
    upkeep.snapshot_events = settings->upkeep.snapshot_events;
  if (!upkeep.keep_bytes)
    upkeep.keep_bytes = settings->upkeep.keep_bytes;
  auto order = make_order(*std::move(settings), arguments.outside, common);
  if (!order)
    return order;
  order->scenario = *std::move(scenario);
  order->accept_loss = arguments.accept_loss;
  order->fails_on_turns = !arguments.fail_on.empty();
  if (order->settings.virtual_time && order->scenario)
    order->runtime.seed = order->scenario->seed.value_or(0);
  if (auto fits
      = place_upkeep(*order, upkeep, folder.in_segments(), arguments.store)
          .and_then([&] {
            return open_outputs(*order, arguments.store, arguments.learning);
          });
      !fits)
    return fail(std::move(fits).error());
  guard_outputs(*order, arguments.store, arguments.learning);
  allow_own_files(arguments.path, order->runtime);
  return order;
}

result<int> resume(const resume_arguments& arguments,
                   const common_options& common) {
  const auto& path = arguments.path;
  const bool single = host::is_agent_folder(path);
  auto folder = host::output_folder::open(single ? host::session_folder_of(path)
                                                 : std::filesystem::path{path});
  if (!folder)
    return fail(folder.error());
  if (auto taken = folder->take(); !taken)
    return fail(taken.error());
  if (auto room = has_room(*folder); !room)
    return fail(room.error());
  if (single)
    if (auto may = may_go_on(path); !may)
      return fail(may.error());
  auto order = order_of(arguments, common, *folder);
  if (!order)
    return fail(order.error());
  order->of_agent = single;
  auto tally = run_sessions(*order, *folder);
  if (!tally)
    return fail(advised(tally.error(), path));
  if (single)
    if (auto ended = finish_agent_run(*tally, path, *order, arguments.outside,
                                      common);
        !ended)
      return fail(ended.error());
  if (tally->bytes_cut != 0)
    print_note(fmt::format("{} bytes at the end of the log were never "
                           "acknowledged and have been cut off",
                           tally->bytes_cut));
  if (!has_nothing_to_do(*tally))
    return tell(*tally, path, order->settings.instances, {}, common);
  if (common.json)
    print_json(protocol::json::object{{"out", protocol::sanitize_utf8(path)},
                                      {"finished", true}});
  else if (!common.quiet)
    print_line(fmt::format("Nothing to resume: all sessions of {} have "
                           "ended and their documents are written",
                           path));
  return exit_good;
}

} // namespace

void add_resume(const command_line& program) {
  program.add<resume_arguments>("resume", resume, add_options);
}

} // namespace convene::cli
