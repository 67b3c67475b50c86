#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/check_folder.hpp>
#include <convene/runtime/audit/replay_audit.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/event_log/log_damage.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <utility>

namespace convene::host {

using namespace convene::protocol;

bool is_refused(const replayed_session& which) {
  return which.divergence && !which.divergence->rule.empty();
}

result<replayed_log> replay_log(const std::string& given,
                                const std::string& session) {
  // A single agent's events follow from the session that executes its plan.
  const auto log = is_agent_folder(given) ? session_folder_of(given).string()
                                          : given;
  log_replay::wish wanted;
  if (!session.empty())
    wanted = [&](std::string_view id) { return id == session; };
  const auto is_wanted = [&](const line_head& head) {
    return session.empty() || head.session_id == session;
  };
  folder_comparison folder{log};
  log_replay again{std::move(wanted),
                   [&](const std::string& id, session::report report) {
                     folder.ended(id, std::move(report), true);
                   }};
  blob_audit blobs{log};
  const auto read = visit_sessions(log, [&](const auto& place, auto text) {
    const auto head = head_of(text);
    if (is_wanted(head))
      blobs.feed(place, text);
    folder.feed(place, head, text);
    again.feed(place, head.session_id, text);
  });
  if (!read && !is_log_damage(read.error()))
    return fail(read.error());
  replayed_log all{.sessions = again.finish()};
  if (read) {
    all.unacknowledged_bytes = read->unacknowledged_bytes;
    all.sessions_cut = read->sessions_cut;
  } else {
    all.damage = read.error();
  }
  if (session.empty() && (read || read.error().rule == session_end_missing))
    folder.finish(true);
  all.findings = folder.findings();
  all.findings_total = folder.findings_total() + blobs.findings_total();
  for (const auto& found : blobs.findings())
    all.findings.push_back(place_finding(found));
  for (const auto& one : all.sessions) {
    all.events += one.events;
    all.diverged += one.divergence && !is_refused(one) ? 1 : 0;
    all.refused += is_refused(one) ? 1 : 0;
    all.unfinished += one.divergence || one.ended ? 0 : 1;
  }
  if (!session.empty() && all.sessions.empty() && !all.damage)
    return fail(
      {.code = errc::usage,
       .message = "the log has no event of this session, or not its beginning",
       .file = log,
       .rule = "session",
       .value = shorten(session)});
  return all;
}

json::object to_json(const std::string& log, const replayed_log& all) {
  json::array divergences;
  json::array refused;
  for (const auto& one : all.sessions) {
    if (!one.divergence)
      continue;
    const auto& found = *one.divergence;
    if (is_refused(one)) {
      refused.push_back({{"session_id", sanitize_utf8(one.id)},
                         {"file", sanitize_utf8(found.file)},
                         {"line", found.line},
                         {"rule", found.rule},
                         {"message", sanitize_utf8(found.message)}});
      continue;
    }
    divergences.push_back({{"session_id", sanitize_utf8(one.id)},
                           {"file", sanitize_utf8(found.file)},
                           {"line", found.line},
                           {"expected", sanitize_utf8(found.expected)},
                           {"actual", sanitize_utf8(found.actual)},
                           {"message", sanitize_utf8(found.message)}});
  }
  json::object made{{"log", sanitize_utf8(log)},
                    {"good", all.good()},
                    {"events", all.events},
                    {"sessions", all.sessions.size()},
                    {"unfinished", all.unfinished},
                    {"unacknowledged_bytes", all.unacknowledged_bytes},
                    {"sessions_cut", all.sessions_cut},
                    {"divergences", std::move(divergences)},
                    {"refused", std::move(refused)},
                    {"findings_total", all.findings_total},
                    {"findings", to_json(all.findings)}};
  if (all.damage)
    made["damage"] = {{"file", sanitize_utf8(all.damage->file)},
                      {"line", all.damage->line},
                      {"rule", all.damage->rule},
                      {"message", sanitize_utf8(all.damage->message)}};
  return made;
}

} // namespace convene::host
