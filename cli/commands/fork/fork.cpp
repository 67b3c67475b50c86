#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/session_setup.hpp>
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
#include <filesystem>

namespace convene::cli {
namespace {

using protocol::fail;
using protocol::result;

struct fork_arguments {
  std::string log;
  std::string at; ///< an event's id, or a turn's number
  std::string session;
  std::string out; ///< empty: convene-out/<session id>
  std::vector<std::string> overrides;
  outside_arguments outside;
};

void add_options(const command_line& command, fork_arguments& arguments) {
  command.add("LOG", arguments.log).required();
  command.add("--at", arguments.at).required();
  command.add("--session", arguments.session);
  command.add("--set", arguments.overrides);
  command.add("--out", arguments.out);
  add_outside(command, arguments.outside);
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
    return fail(std::move(writer).error());
  if (auto kept = (*writer)->append(events); !kept)
    return fail(std::move(kept).error());
  if (auto closed = (*writer)->close(); !closed)
    return closed;
  std::error_code failed;
  std::filesystem::rename(fresh, path, failed);
  if (failed)
    return fail({.code = protocol::errc::io_failed,
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
    return fail(folder.error());
  host::blob_carrier carrier{*folder, host::blob_folder_for(to)};
  carrier.feed_all(events);
  return carrier.left().empty() ? result<void>{} : fail(carrier.left().front());
}

result<host::forked_session> make_fork(const fork_arguments& arguments,
                                       bool virtual_time,
                                       protocol::uuid_source& ids) {
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
    order.now = now_ms();
  return host::fork_session(arguments.log, order)
    .map_error([](protocol::error why) {
      if (why.rule == "set") // the message names the option
        why.pointer.clear();
      return why;
    });
}

/// Everything that a session which was interrupted at the fork would have left.
/// The log first: without it `resume` would begin anew.
result<void>
write_fork(const fork_arguments& arguments, const host::forked_session& made,
           const host::run_settings& settings, const host::output_folder& out) {
  return carry_blobs(arguments.log, out.log(), made.events)
    .and_then(
      [&] { return write_log(out.log(), made.events, settings.durability); })
    .and_then([&] { return out.write_settings(settings); })
    .and_then(
      [&] { return out.write_scenario(session::encode(made.scenario)); });
}

result<int> fork(const fork_arguments& arguments,
                 const common_options& common) {
  auto settings = settings_of(arguments.log);
  if (!settings)
    return fail(settings.error());
  settings->instances = 1;
  settings->upkeep.keep_bytes.reset(); // its log is one file
  settings->documents = protocol::kept_documents::ended;
  auto order = make_order(*std::move(settings), arguments.outside, common);
  if (!order)
    return fail(order.error());
  if (auto fits = place_upkeep(*order, order->settings.upkeep, false, {});
      !fits)
    return fail(fits.error());
  allow_own_files(arguments.log, order->runtime);
  auto ids = protocol::uuid_source::from_entropy();
  auto made = make_fork(arguments, order->settings.virtual_time, ids);
  if (!made)
    return fail(made.error());
  if (order->settings.virtual_time)
    order->runtime.seed = made->scenario.seed.value_or(0);
  if (auto fit = host::may_start(made->scenario, order->runtime).and_then([&] {
        return host::try_threads(order->runtime, threads_of_run);
      });
      !fit)
    return fail(fit.error());
  const auto& id = made->scenario.collab.collab_id;
  const auto path = arguments.out.empty() ? "convene-out/" + id : arguments.out;
  const auto out = host::output_folder::create(path, false);
  if (!out)
    return fail(out.error());
  if (auto kept = write_fork(arguments, *made, order->settings, *out); !kept)
    return fail(kept.error());
  if (!common.quiet && !common.json)
    print(neutral(fmt::format("Session {} shares {} of {}\n", id,
                              plural(made->inputs, "input"),
                              made->scenario.origin->session_id)));
  order->scenario = std::move(made->scenario);
  const auto tally = run_sessions(*order, *out);
  if (!tally)
    return fail(tally.error());
  return tell(*tally, path, 1, {}, common);
}

} // namespace

void add_fork(const command_line& program) {
  program.add<fork_arguments>("fork", fork, add_options);
}

} // namespace convene::cli
