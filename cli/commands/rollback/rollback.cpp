#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/rollback_run.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <memory>
#include <string>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct rollback_arguments {
  std::string path;
  std::string to;
  std::string files;
  std::string unknown;
  outside_arguments outside;
};

/// The run's session folder, taken for as long as the rollback lasts.
result<host::output_folder> take_run(const std::string& path) {
  if (!host::is_agent_folder(path))
    return fail({.code = errc::unreadable,
                 .message = "is not the folder of a single agent's run, as "
                            "convene run --profile sa writes it",
                 .file = path,
                 .rule = "agent_folder"});
  auto folder = host::output_folder::open(host::session_folder_of(path));
  if (!folder)
    return folder;
  if (auto taken = folder->take(); !taken)
    return fail(std::move(taken).error());
  return folder;
}

int rollback(const rollback_arguments& arguments,
             const common_options& common) {
  const auto told = [&common](const error& what) {
    return report(what, common.json);
  };
  auto run = take_run(arguments.path);
  if (!run)
    return told(run.error());
  const auto settings = run->read_settings();
  if (!settings)
    return told(settings.error());
  rollback_request wanted{.to = arguments.to,
                          .files = {},
                          .unknown = arguments.unknown,
                          .reason = "asked for"};
  if (!arguments.files.empty()) {
    auto files = host::project_folder::open(arguments.files);
    if (!files)
      return told(files.error());
    wanted.files = *std::move(files);
  }
  auto screen = make_screen(arguments.outside, common, 1);
  if (!screen)
    return told(screen.error());
  session_order order{.screen = *std::move(screen)};
  order.runtime.threads = common.threads;
  order.runtime.validation = settings->validation;
  order.runtime.revalidate = settings->revalidate;
  order.runtime.durability = settings->durability;
  if (settings->virtual_time)
    order.runtime.seed = 0;
  if (auto fits = apply(arguments.outside, common, order.screen, order.runtime);
      !fits)
    return told(fits.error());
  const auto done = roll_back(arguments.path, wanted, order);
  if (!done)
    return told(done.error());
  if (common.json) {
    auto whole = to_json(*done);
    whole.emplace("out", sanitize_utf8(arguments.path));
    print_json(whole);
  } else {
    print_rollback(*done, arguments.path, common);
  }
  return exit_code_of(*done);
}

} // namespace

void add_rollback(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "rollback", "Takes a single agent's run back to a stage: undoes what its "
                "steps did, last one first");
  auto arguments = std::make_shared<rollback_arguments>();
  command
    .add_option("DIR", arguments->path,
                "A folder that convene run --profile sa wrote")
    ->required()
    ->option_text(" ");
  command
    .add_option("--to", arguments->to,
                "The stage: start, or the step_id of a step that was "
                "completed, which stays so. Default start")
    ->option_text("STAGE");
  command
    .add_option("--files", arguments->files,
                "Also make the files that the run wrote what they were at the "
                "stage, in this folder; what is there is kept in "
                ".convene-replaced")
    ->option_text("DIR");
  command
    .add_option("--unknown", arguments->unknown,
                "Of compensations that may have taken place: repeat them, or "
                "count them as done")
    ->check(one_of({"repeat", "done"}))
    ->option_text("WHAT");
  add_outside(command, arguments->outside);
  add_common(command, common);
  command.footer(
    "Example: convene rollback convene-out/release --allow run=python3\n"
    "A rollback that was interrupted, or of which a compensation failed, is "
    "continued by the same command.\n"
    "Exit codes: 0 rolled back, or there already, 1 compensations remain, 2 "
    "cannot be rolled back, 3 fault, 130 and 143 after a signal.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return rollback(*arguments, common); };
  });
}

} // namespace convene::cli
