#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/rollback_run.hpp>
#include <convene/cli/sessions/session_setup.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

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

void add_options(const command_line& command, rollback_arguments& arguments) {
  command.add("DIR", arguments.path).required();
  command.add("--to", arguments.to);
  command.add("--files", arguments.files);
  command.add("--unknown", arguments.unknown, one_of({"repeat", "done"}));
  add_outside(command, arguments.outside);
}

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

result<int> rollback(const rollback_arguments& arguments,
                     const common_options& common) {
  auto run = take_run(arguments.path);
  if (!run)
    return fail(run.error());
  const auto settings = run->read_settings();
  if (!settings)
    return fail(settings.error());
  rollback_request wanted{.to = arguments.to,
                          .files = {},
                          .unknown = arguments.unknown,
                          .reason = "asked for"};
  if (!arguments.files.empty()) {
    auto files = host::project_folder::open(arguments.files);
    if (!files)
      return fail(files.error());
    wanted.files = *std::move(files);
  }
  auto order = make_order(*settings, arguments.outside, common);
  if (!order)
    return fail(order.error());
  order->runtime.guarded.emplace_back(arguments.path);
  const auto done = roll_back(arguments.path, wanted, *order);
  if (!done)
    return fail(done.error());
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

void add_rollback(const command_line& program) {
  program.add<rollback_arguments>("rollback", rollback, add_options);
}

} // namespace convene::cli
