#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/commands/drift/drift_arguments.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace convene::cli {

using namespace convene::protocol;

void add_exclude(std::vector<std::string>& into, CLI::App& command) {
  command
    .add_option("--exclude", into,
                "Leave out files and folders by name or path; * and ? stand "
                "for any text")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("PATTERN");
}

void declare(drift_arguments& into, CLI::App& command) {
  constexpr std::uint64_t day_ms = 86'400'000;
  command.add_option("PATH", into.path,
                     "The folder of a run, its workspace.json, a record of "
                     "files, or a Git working tree");
  command
    .add_option("--files", into.files,
                "The project's folder; default: this one, of a record the one "
                "that was recorded")
    ->option_text("DIR");
  command.add_flag("--added", into.added,
                   "Files that the run does not know count as added");
  add_exclude(into.exclude, command);
  command
    .add_option("--record", into.record,
                "Write what the files hold now to FILE, to compare with later")
    ->option_text("FILE");
  command
    .add_option("--reconcile", into.reconcile,
                "graph: write the run's files to DIR, and keep what they "
                "replace; disk: take the files as they are")
    ->check(one_of({"graph", "disk"}))
    ->option_text("WHICH");
  command
    .add_option("--log", into.log,
                "Append each drift that is detected or resolved as an event to "
                "FILE, which also knows what was told before")
    ->option_text("FILE");
  auto* const events
    = command
        .add_option("--events", into.events,
                    "Look only at files that file_update events in FILE are "
                    "about; - is standard input")
        ->option_text("FILE");
  auto* const watch
    = command.add_flag("--watch", into.watch, "Go on until interrupted")
        ->excludes(events);
  command
    .add_option("--poll-ms", into.poll_ms,
                "Look this often, instead of being notified of changes")
    ->check(whole_number(1, day_ms))
    ->needs(watch)
    ->option_text("N");
  auto* const git
    = command
        .add_flag("--git", into.git,
                  "Also what changed in the folder's Git repository since the "
                  "commit that was recorded; without one, since HEAD")
        ->excludes(events)
        ->excludes(watch);
  command.add_option("--since", into.since, "Since this commit")
    ->needs(git)
    ->option_text("COMMIT");
}

drift_arguments as_meant(drift_arguments arguments) {
  const std::filesystem::path path{arguments.path};
  std::error_code ignored;
  if (arguments.path.empty() || !arguments.files.empty()
      || std::filesystem::exists(path / "workspace.json", ignored)
      || !std::filesystem::exists(path / ".git", ignored))
    return arguments;
  arguments.files = std::exchange(arguments.path, {});
  arguments.git = true;
  return arguments;
}

result<void> check(const drift_arguments& arguments) {
  if (arguments.path.empty()) {
    if ((arguments.record.empty() && !arguments.git) || arguments.files.empty())
      return fail(errc::usage,
                  "give the folder of a run or a record of files; --files DIR "
                  "--record FILE makes one, and --files DIR --git compares a "
                  "repository");
    if (!arguments.reconcile.empty() || !arguments.events.empty()
        || arguments.watch || !arguments.log.empty())
      return fail(errc::usage,
                  "without a run or a record there is nothing to compare with: "
                  "leave out --reconcile, --events, --watch and --log");
    if (!arguments.record.empty()
          ? !arguments.since.empty()
          : arguments.added || !arguments.exclude.empty())
      return fail(errc::usage,
                  "--since goes with a comparison, and --added and --exclude "
                  "with one of files, not of a repository alone");
    return {};
  }
  if (!arguments.record.empty() && arguments.reconcile != "disk")
    return fail(errc::usage,
                "--record is for --files DIR alone, or with --reconcile disk");
  if (!arguments.reconcile.empty()
      && (arguments.watch || !arguments.events.empty()))
    return fail(errc::usage,
                "--reconcile is for a single look at all files: leave out "
                "--watch and --events");
  return {};
}

} // namespace convene::cli
