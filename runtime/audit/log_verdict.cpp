#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/log_verdict.hpp>

namespace convene::host {

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

} // namespace convene::host
