#include <convene/cli/commands/check/log_verdict.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

namespace convene::cli {

using namespace convene::protocol;

void add(log_verdict& to, const agent_verdict& more) {
  to.events += more.events;
  to.runs += more.runs;
  to.runs_judged += more.runs_judged;
  to.findings_total += more.findings_total;
  to.findings.insert(to.findings.end(), more.findings.begin(),
                     more.findings.end());
}

void add(log_verdict& to, const log_verdict& more) {
  to.events += more.events;
  to.sessions += more.sessions;
  to.recomputed += more.recomputed;
  to.findings_total += more.findings_total;
  to.undigested += more.undigested;
  to.uncompared += more.uncompared;
  to.blobs += more.blobs;
  to.blobs_unnamed += more.blobs_unnamed;
  to.findings.insert(to.findings.end(), more.findings.begin(),
                     more.findings.end());
}

void print_text(const std::string& log, const log_verdict& all, bool quiet) {
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
    all.foreign == 0 ? ""
                     : "; this is no log of convene: its events were checked "
                       "as convene validate --invariants does, and nothing "
                       "was computed again"));
}

json::object to_json(const std::string& log, const log_verdict& all) {
  return {{"log", sanitize_utf8(log)},
          {"events", all.events},
          {"foreign_events", all.foreign},
          {"sessions", all.sessions},
          {"sessions_recomputed", all.recomputed},
          {"sessions_without_digests", all.undigested},
          {"runs", all.runs},
          {"runs_checked_by_workflow", all.runs_judged},
          {"unacknowledged_bytes", all.unacknowledged_bytes},
          {"sessions_cut", all.sessions_cut},
          {"blobs", all.blobs},
          {"blobs_unnamed", all.blobs_unnamed},
          {"sessions_not_compared", all.uncompared},
          {"findings_total", all.findings_total},
          {"findings", to_json(all.findings)}};
}

} // namespace convene::cli
