#include <convene/cli/commands/check/verdict_text.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/reading_progress.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/runtime/audit/replay_audit.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct replay_arguments {
  std::string log;
  std::string session; ///< empty: all
};

void add_options(const command_line& command, replay_arguments& arguments) {
  command.add("LOG", arguments.log).required();
  command.add("--session", arguments.session);
}

/// The part of a line around a place in it.
std::string excerpt(const std::string& line, std::size_t at) {
  constexpr std::size_t before = 60;
  constexpr std::size_t most = 160;
  if (line.empty())
    return "nothing";
  const auto from = at > before ? at - before : 0;
  return (from == 0 ? "" : "...") + line.substr(from, most)
         + (from + most < line.size() ? "..." : "");
}

void print_divergence(const replay_arguments& arguments,
                      const host::replayed_session& which) {
  const auto& found = *which.divergence;
  const auto place = found.line == 0
                       ? arguments.log
                       : fmt::format("{}:{}", found.file, found.line);
  const auto same = std::ranges::mismatch(found.expected, found.actual);
  const auto at = static_cast<std::size_t>(same.in1 - found.expected.begin());
  print_line(fmt::format("{}: {} {}", place, which.id.empty() ? "-" : which.id,
                         found.message));
  if (host::is_refused(which))
    return;
  if (!found.expected.empty() && !found.actual.empty())
    print(fmt::format("  different from byte {} of the line on\n", at + 1));
  print("  expected " + neutral(excerpt(found.expected, at)) + '\n');
  print("  actual   " + neutral(excerpt(found.actual, at)) + '\n');
}

void print_text(const replay_arguments& arguments,
                const host::replayed_log& all, bool quiet) {
  for (const auto& one : all.sessions)
    if (one.divergence)
      print_divergence(arguments, one);
  if (all.damage)
    print_line(line_of(*all.damage));
  print_findings(all.findings);
  if (quiet)
    return;
  std::string line = fmt::format(
    "{}: {}, {}, {}", arguments.log, plural(all.events, "event"),
    plural(all.sessions.size(), "session"),
    all.good() ? "all as recorded" : plural(all.diverged, "divergence"));
  if (all.refused != 0)
    line += fmt::format(", {} written under other rules", all.refused);
  if (all.findings_total != 0)
    line += ", " + plural(all.findings_total, "finding") + " in the folder";
  if (all.unfinished != 0)
    line += fmt::format(", {} unfinished", all.unfinished);
  if (all.unacknowledged_bytes != 0)
    line += fmt::format(", {} bytes at the end were never acknowledged",
                        all.unacknowledged_bytes);
  line += told_cut(all.sessions_cut);
  print_line(line);
}

result<int> replay(const replay_arguments& arguments,
                   const common_options& common) {
  const auto all = [&] {
    const reading_progress shown{!common.quiet, "replaying"};
    return host::replay_log(arguments.log, arguments.session);
  }();
  if (!all)
    return fail(all.error());
  if (common.json)
    print_json(host::to_json(arguments.log, *all));
  else
    print_text(arguments, *all, common.quiet);
  if (all->diverged != 0 || all->damage || all->findings_total != 0)
    return exit_no;
  return all->refused != 0 ? exit_code(errc::unsupported) : exit_good;
}

} // namespace

void add_replay(const command_line& program) {
  program.add<replay_arguments>("replay", replay, add_options);
}

} // namespace convene::cli
