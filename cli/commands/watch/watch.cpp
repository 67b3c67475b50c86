#include <convene/cli/commands/drift/drift_arguments.hpp>
#include <convene/cli/commands/watch/watch_command.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>

namespace convene::cli {
namespace {

protocol::result<int> watch(const watch_arguments& arguments,
                            const common_options& common) {
  if (arguments.files.empty() && arguments.git.empty()
      && arguments.drop.empty())
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "say what to watch: --files DIR, --git DIR or "
                  "--drop FOLDER"});
  if (arguments.once && !(arguments.files.empty() && arguments.git.empty()))
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "--once takes what is dropped; files and a "
                  "repository are watched, so leave one out"});
  if (arguments.once && arguments.drop.empty())
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "--once needs a folder to look into: --drop "
                  "FOLDER"});
  return watch_outside(arguments, common);
}

void add_options(const command_line& command, watch_arguments& arguments) {
  constexpr std::uint64_t day_ms = 86'400'000;
  command.add("--log", arguments.log).required();
  command.add("--files", arguments.files);
  add_exclude(command, arguments.exclude);
  command.add("--git", arguments.git);
  command.add("--drop", arguments.drop);
  command.add("--source", arguments.source);
  command.add("--poll-ms", arguments.poll_ms, whole_number(1, day_ms));
  command.add("--once", arguments.once);
}

} // namespace

void add_watch(const command_line& program) {
  program.add<watch_arguments>("watch", watch, add_options);
}

} // namespace convene::cli
