#include <convene/cli/commands/check/verdict_text.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

namespace convene::cli {

void print_findings(const std::vector<host::placed_finding>& all) {
  for (const auto& [file, line, what] : all) {
    const auto place = line == 0 ? file : fmt::format("{}:{}", file, line);
    const auto session = what.session_id.empty() ? "-" : what.session_id;
    print_line(
      fmt::format("{}: {} {} {}", place, session, what.rule, what.message));
  }
}

void print_text(const std::string& log, const host::log_verdict& all,
                bool quiet) {
  print_findings(all.findings);
  if (quiet)
    return;
  const auto hidden = all.findings_total - all.findings.size();
  print_line(fmt::format(
    "{}: {}, {}{}, {}{}{}{}{}{}{}{}{}{}", log, plural(all.events, "event"),
    plural(all.sessions, "session"),
    all.runs == 0 ? "" : ", " + plural(all.runs, "workflow run"),
    plural(all.findings_total, "finding"),
    hidden == 0 ? "" : fmt::format(" ({} not shown)", hidden),
    all.recomputed == all.sessions
      ? ""
      : fmt::format(", {} not computed again",
                    plural(all.sessions - all.recomputed, "session")),
    all.undigested == 0
      ? ""
      : fmt::format(", {} whose actions have no digests: edits of their "
                    "results can go unnoticed",
                    plural(all.undigested, "session")),
    all.runs == all.runs_judged
      ? ""
      : fmt::format(", {} not checked against their workflows",
                    plural(all.runs - all.runs_judged, "workflow run")),
    all.uncompared == 0
      ? ""
      : fmt::format(
        ", documents of {} not compared, as the log does not replay",
        plural(all.uncompared, "session")),
    all.blobs_unnamed == 0 ? ""
                           : fmt::format(", {} that no event names",
                                         plural(all.blobs_unnamed, "blob")),
    all.unacknowledged_bytes == 0
      ? ""
      : fmt::format(", {} bytes at the end were never acknowledged",
                    all.unacknowledged_bytes),
    told_cut(all.sessions_cut),
    all.foreign == 0
      ? ""
      : "; this is not a log of convene: its events were checked "
        "as convene validate --invariants does, and nothing "
        "was computed again"));
}

} // namespace convene::cli
