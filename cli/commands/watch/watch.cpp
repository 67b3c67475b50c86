#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/commands/drift/drift_arguments.hpp>
#include <convene/cli/commands/watch/watch_command.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>

#include <memory>

namespace convene::cli {
namespace {

int watch(const watch_arguments& arguments, const common_options& common) {
  if (arguments.files.empty() && arguments.git.empty()
      && arguments.drop.empty())
    return report({.code = protocol::errc::usage,
                   .message = "say what to watch: --files DIR, --git DIR or "
                              "--drop FOLDER"},
                  common.json);
  if (arguments.once && !(arguments.files.empty() && arguments.git.empty()))
    return report({.code = protocol::errc::usage,
                   .message = "--once takes what is dropped; files and a "
                              "repository are watched, so leave one out"},
                  common.json);
  if (arguments.once && arguments.drop.empty())
    return report({.code = protocol::errc::usage,
                   .message = "--once needs a folder to look into: --drop "
                              "FOLDER"},
                  common.json);
  return watch_outside(arguments, common);
}

} // namespace

void add_watch(CLI::App& program, common_options& common, action& chosen) {
  constexpr std::uint64_t day_ms = 86'400'000;
  auto& command = *program.add_subcommand(
    "watch", "Writes what happens outside as events: to files, to a Git "
             "repository, and what CI and tools drop into a folder");
  auto arguments = std::make_shared<watch_arguments>();
  command
    .add_option("--log", arguments->log,
                "Append the events to FILE, which also knows what was written "
                "before")
    ->required()
    ->option_text("FILE");
  command
    .add_option("--files", arguments->files,
                "Tell which files below DIR are created, modified and deleted")
    ->option_text("DIR");
  add_exclude(arguments->exclude, command);
  command
    .add_option("--git", arguments->git,
                "Tell of commits, merges, tags and branches of the repository "
                "that DIR is part of")
    ->option_text("DIR");
  command
    .add_option("--drop", arguments->drop,
                "Take the events in files that others move into FOLDER, and "
                "remove these; what is wrong goes to FOLDER/refused")
    ->option_text("FOLDER");
  command
    .add_option("--source", arguments->source,
                "The source that events of files and Git name; default "
                "convene-watch")
    ->option_text("NAME");
  command
    .add_option("--poll-ms", arguments->poll_ms,
                "Look at the repository and the folder this often; default "
                "1000")
    ->check(whole_number(1, day_ms))
    ->option_text("N");
  command.add_flag("--once", arguments->once,
                   "Take what is in the folder and end");
  add_common(command, common);
  command.footer(
    "Example: convene watch --files . --git . --drop inbox --log "
    "outside.jsonl\n"
    "Exit codes: 0, 1 if something was refused, 2 cannot be done, 3 fault, "
    "130 and 143 after a signal.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return watch(*arguments, common); };
  });
}

} // namespace convene::cli
