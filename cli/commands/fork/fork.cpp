#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/tally.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <convene/runtime/data/forks/fork.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>

namespace convene::cli {
namespace {

using protocol::result;

struct fork_arguments {
  std::string log;
  std::string at; ///< an event's id, or a turn's number
  std::string session;
  std::string out; ///< empty: convene-out/<session id>
  std::vector<std::string> overrides;
  outside_arguments outside;
};

protocol::timestamp_ms present() {
  const auto passed = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

/// How the forked run was run, where the log is that of a run's folder.
result<host::run_settings> settings_of(const std::string& log) {
  std::error_code failed;
  const std::filesystem::path path{log};
  const auto folder = host::output_folder::open(
    std::filesystem::is_regular_file(path, failed) ? path.parent_path() : path);
  return folder ? folder->read_settings() : host::run_settings{};
}

/// The shared part becomes the new folder's log, whole or not at all: what
/// follows is a session that was interrupted there.
result<void> write_log(const std::filesystem::path& path,
                       const std::string& events,
                       protocol::durability durability) {
  auto fresh = path;
  fresh += ".new";
  host::log_options how{.durability = durability};
  how.buffer_bytes = std::max(how.buffer_bytes, events.size());
  auto writer = host::event_log_writer::open(fresh, how);
  if (!writer)
    return protocol::fail(std::move(writer).error());
  if (auto kept = (*writer)->append(events); !kept)
    return protocol::fail(std::move(kept).error());
  if (auto closed = (*writer)->close(); !closed)
    return closed;
  std::error_code failed;
  std::filesystem::rename(fresh, path, failed);
  if (failed)
    return protocol::fail(
      {.code = protocol::errc::io_failed,
       .message = "cannot get its name: " + failed.message(),
       .file = path.string()});
  return {};
}

/// What the shared part names goes along, before the log names it there.
result<void> carry_blobs(const std::string& from,
                         const std::filesystem::path& to,
                         const std::string& events) {
  const auto folder = host::blob_folder_of(from);
  if (!folder)
    return protocol::fail(folder.error());
  host::blob_carrier carrier{*folder, host::blob_folder_for(to)};
  carrier.feed_all(events);
  return carrier.left().empty() ? result<void>{}
                                : protocol::fail(carrier.left().front());
}

result<host::forked_session>
make_fork(const fork_arguments& arguments, const runtime_options& runtime,
          bool virtual_time, protocol::uuid_source& ids) {
  host::fork_order order{.session_id = protocol::strict_id(arguments.session),
                         .overrides = arguments.overrides,
                         .ids = ids};
  std::uint32_t turn = 0;
  const auto* const end = arguments.at.data() + arguments.at.size();
  const auto [stop, failed] = std::from_chars(arguments.at.data(), end, turn);
  if (failed == std::errc{} && stop == end)
    order.turn = turn;
  else
    order.event_id = arguments.at;
  if (!virtual_time)
    order.now = present();
  auto made = host::fork_session(arguments.log, order);
  if (!made)
    return made;
  auto how = runtime;
  if (virtual_time)
    how.seed = made->scenario.seed.value_or(0);
  if (auto fit = host::may_start(made->scenario, how); !fit)
    return protocol::fail(std::move(fit).error());
  return made;
}

int fork(const fork_arguments& arguments, const common_options& common) {
  const auto told = [&common](const protocol::error& what) {
    return report(what, common.json);
  };
  auto settings = settings_of(arguments.log);
  if (!settings)
    return told(settings.error());
  settings->instances = 1;
  settings->upkeep.keep_bytes.reset(); // its log is one file
  settings->documents = protocol::kept_documents::ended;
  runtime_options runtime{.threads = common.threads};
  auto screen = make_screen(arguments.outside, common, 1);
  if (!screen)
    return told(screen.error());
  if (auto fits = apply(arguments.outside, common, *screen, runtime); !fits)
    return told(fits.error());
  allow_own_files(arguments.log, runtime);
  auto ids = protocol::uuid_source::from_entropy();
  auto made = make_fork(arguments, runtime, settings->virtual_time, ids);
  if (!made)
    return told(made.error());
  if (settings->virtual_time)
    runtime.seed = made->scenario.seed.value_or(0);
  if (auto enough = host::try_threads(runtime, threads_of_run); !enough)
    return told(enough.error());
  const auto& id = made->scenario.collab.collab_id;
  const auto path = arguments.out.empty() ? "convene-out/" + id : arguments.out;
  const auto out = host::output_folder::create(path, false);
  if (!out)
    return told(out.error());
  // The log first: without it `resume` would begin anew.
  auto kept = carry_blobs(arguments.log, out->log(), made->events)
                .and_then([&] {
                  return write_log(out->log(), made->events,
                                   settings->durability);
                })
                .and_then([&] { return out->write_settings(*settings); })
                .and_then([&] {
                  return out->write_scenario(session::encode(made->scenario));
                });
  if (!kept)
    return told(kept.error());
  if (!common.quiet && !common.json)
    print(neutral(fmt::format("Session {} shares {} of {}\n", id,
                              plural(made->inputs, "input"),
                              made->scenario.origin->session_id)));

  session_order order{.scenario = std::move(made->scenario),
                      .screen = *std::move(screen),
                      .show_progress = !common.quiet};
  order.runtime = std::move(runtime);
  order.runtime.validation = settings->validation;
  order.runtime.revalidate = settings->revalidate;
  order.runtime.durability = settings->durability;
  order.runtime.log = out->log();
  order.runtime.work_folder = out->path() / "work";
  if (auto fits = apply(settings->upkeep, false, order.runtime); !fits)
    return told(fits.error());
  const auto tally = run_sessions(order, *out);
  if (!tally)
    return told(tally.error());
  return tell(*tally, path, 1, {}, common);
}

} // namespace

void add_fork(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "fork", "Starts a new session from a point in a recorded one");
  auto arguments = std::make_shared<fork_arguments>();
  command
    .add_option("LOG", arguments->log,
                "An event log, or a folder that a run wrote; it is not changed")
    ->required()
    ->option_text(" ");
  command
    .add_option("--at", arguments->at,
                "The last event to keep, by its id, or the turn to do again, "
                "by its number")
    ->required()
    ->option_text("EVENT|TURN");
  command
    .add_option(
      "--session", arguments->session,
      "The session to fork, by its id; required if the log has several")
    ->option_text("ID");
  command
    .add_option("--set", arguments->overrides,
                "Set any member of the recorded scenario by its path: "
                "session.rounds=5; a dot in a name has a backslash before it")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("KEY=VALUE");
  command
    .add_option("--out", arguments->out,
                "Folder for the log and the documents, new or empty; default "
                "convene-out/<session id>")
    ->option_text("DIR");
  add_outside(command, arguments->outside);
  add_common(command, common);
  command.footer(
    "Example: convene fork convene-out/review --at 5 --out other --set "
    "'behaviours.reviewer={\"type\": \"echo\"}'\nAnswers up to that point come "
    "from the log; then the session continues.\nExit codes: as for run.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return fork(*arguments, common); };
  });
}

} // namespace convene::cli
