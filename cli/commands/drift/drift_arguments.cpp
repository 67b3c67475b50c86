#include <convene/cli/commands/drift/drift_arguments.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace convene::cli {

using namespace convene::protocol;

void add_exclude(const command_line& command, std::vector<std::string>& into) {
  command.add("--exclude", into);
}

void declare(const command_line& command, drift_arguments& into) {
  constexpr std::uint64_t day_ms = 86'400'000;
  command.add("PATH", into.path);
  command.add("--files", into.files);
  command.add("--added", into.added);
  add_exclude(command, into.exclude);
  command.add("--record", into.record);
  command.add("--reconcile", into.reconcile, one_of({"graph", "disk"}));
  command.add("--log", into.log);
  const auto events = command.add("--events", into.events);
  const auto watch = command.add("--watch", into.watch).excludes(events);
  command.add("--poll-ms", into.poll_ms, whole_number(1, day_ms)).needs(watch);
  const auto git
    = command.add("--git", into.git).excludes(events).excludes(watch);
  command.add("--since", into.since).needs(git);
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
