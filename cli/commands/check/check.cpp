#include <convene/cli/commands/check/check_agent.hpp>
#include <convene/cli/commands/check/check_data.hpp>
#include <convene/cli/commands/check/check_folder.hpp>
#include <convene/cli/commands/check/check_replay.hpp>
#include <convene/cli/commands/check/check_rollback.hpp>
#include <convene/cli/commands/check/check_workspace.hpp>
#include <convene/cli/common/log_damage.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/server/runs/run_audit.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct check_arguments {
  std::vector<std::string> logs;
  bool allow_unfinished = false;
};

void add_options(const command_line& command, check_arguments& arguments) {
  command.add("LOG", arguments.logs).required();
  command.add("--allow-unfinished", arguments.allow_unfinished);
}

struct verdict {
  std::uint64_t events = 0;
  std::size_t sessions = 0;
  std::size_t recomputed = 0; ///< sessions
  std::size_t findings_total = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t sessions_cut = 0; ///< began in removed segments
  std::size_t uncompared = 0;     ///< documents' sessions that do not replay
  std::size_t blobs = 0;          ///< that the log names
  std::size_t blobs_unnamed = 0;  ///< that are beside it, and it does not name
  std::size_t runs = 0;           ///< of workflows
  std::size_t runs_judged = 0;
  std::vector<placed_finding> findings; ///< the first ones
};

/// Numbers the lines of several files through, and finds back to the file.
class line_numbers {
public:
  std::size_t number(const host::log_place& place) {
    if (files_.empty() || index_ != place.file_index)
      files_.push_back({place.file, last_});
    index_ = place.file_index;
    last_ = files_.back().before + place.number;
    return last_;
  }

  [[nodiscard]] std::pair<std::string, std::size_t>
  place(std::size_t number, const std::string& otherwise) const {
    if (number == 0)
      return {otherwise, 0};
    const auto next = std::ranges::lower_bound(files_, number, {},
                                               &numbered_file::before);
    const auto& file = *std::prev(next);
    return {file.name, number - file.before};
  }

private:
  struct numbered_file {
    std::string name;
    std::size_t before = 0; ///< lines in the files before this one
  };

  std::vector<numbered_file> files_;
  std::size_t index_ = 0; // of the last file
  std::size_t last_ = 0;
};

/// Adds what a check has found: the first of it, and how much there is.
template <class Check>
void take_findings(verdict& all, const Check& from) {
  all.findings_total += from.findings_total();
  all.findings.insert(all.findings.end(), from.findings().begin(),
                      from.findings().end());
}

void add_finding(verdict& all, placed_finding found) {
  ++all.findings_total;
  all.findings.push_back(std::move(found));
}

/// What reading the log to its end has shown, or how far it got.
void take_reading(verdict& all, const std::string& log,
                  const result<host::log_summary>& read) {
  if (!read) {
    const auto& damage = read.error();
    add_finding(all, {damage.file,
                      damage.line,
                      {.rule = damage.rule, .message = damage.message}});
    return;
  }
  all.unacknowledged_bytes = read->unacknowledged_bytes;
  all.sessions_cut = read->sessions_cut;
  if (read->sessions_lost != 0)
    add_finding(all, {log,
                      0,
                      {.rule = "session_end_lost",
                       .message = plural(read->sessions_lost, "session")
                                  + " that began in removed segments never "
                                    "ended"}});
}

result<verdict> check_log(const std::string& log, bool allow_unfinished) {
  event_checker checker{{.allow_unfinished = allow_unfinished}};
  line_numbers lines;
  workspace_comparison shared{log};
  folder_comparison folder{log};
  replay_comparison again{
    {.has_documents
     = [&](std::string_view id) { return folder.has_result(id); },
     .on_end =
       [&](const std::string& id, session::report report) {
         folder.ended(id, std::move(report), false);
       }}};
  host::blob_audit blobs{log};
  verdict all;
  const auto read = host::visit_sessions(log, [&](const host::log_place& place,
                                                  std::string_view text) {
    ++all.events;
    const auto number = lines.number(place);
    folder.feed(place, text);
    blobs.feed(place, text);
    if (const auto event = parse_json(text)) {
      checker.feed(number, *event);
      shared.feed(*event);
      again.feed(place, text, *event);
    } else {
      checker.feed_invalid(number, event.error().message);
    }
  });
  if (!read && !is_log_damage(read.error()))
    return fail(read.error());
  for (auto& found : checker.finish()) {
    auto [file, line] = lines.place(found.line, log);
    all.findings.push_back({std::move(file), line, std::move(found)});
  }
  all.findings_total = checker.findings_total();
  take_findings(all, shared);
  if (read || read.error().rule == host::session_end_missing)
    folder.finish(allow_unfinished);
  take_findings(all, folder);
  blobs.finish(read && read->sessions_cut == 0);
  all.blobs = blobs.named();
  all.blobs_unnamed = blobs.unnamed();
  all.findings_total += blobs.findings_total();
  for (const auto& found : blobs.findings())
    all.findings.push_back(place_finding(found));
  const auto recomputed = again.finish(log);
  all.recomputed = recomputed.sessions;
  all.uncompared = recomputed.documents_left;
  all.findings_total += recomputed.findings_total;
  for (const auto& found : recomputed.findings)
    all.findings.push_back(found);
  all.sessions = checker.sessions_total();
  take_reading(all, log, read);
  return all;
}

void add(verdict& to, const agent_verdict& more) {
  to.events += more.events;
  to.runs += more.runs;
  to.runs_judged += more.runs_judged;
  to.findings_total += more.findings_total;
  to.findings.insert(to.findings.end(), more.findings.begin(),
                     more.findings.end());
}

void add(verdict& to, const verdict& more) {
  to.events += more.events;
  to.sessions += more.sessions;
  to.recomputed += more.recomputed;
  to.findings_total += more.findings_total;
  to.uncompared += more.uncompared;
  to.blobs += more.blobs;
  to.blobs_unnamed += more.blobs_unnamed;
  to.findings.insert(to.findings.end(), more.findings.begin(),
                     more.findings.end());
}

agent_verdict linked_attempt(const std::filesystem::path& folder) {
  agent_verdict made;
  made.note({folder.string(),
             0,
             {.rule = "rollback_event",
              .message = "is a link, and not the folder that an attempt "
                         "wrote: it is not checked"}});
  return made;
}

result<verdict> as_verdict(const result<agent_verdict>& from) {
  if (!from)
    return fail(from.error());
  verdict all;
  add(all, *from);
  return all;
}

/// The sessions and runs of a server. Those that have not ended are no finding.
result<verdict> check_data_folder(const std::string& folder) {
  auto all = check_log((std::filesystem::path{folder} / "log").string(), true);
  if (!all)
    return all;
  const auto rest = check_data(folder);
  if (!rest)
    return fail(rest.error());
  add(*all, *rest);
  return all;
}

/// Also the events of a single agent, and the folder of its run, in which the
/// log is that of a session.
result<verdict> check_run(const std::string& log, bool allow_unfinished) {
  const bool is_folder = host::is_agent_folder(log);
  if (!is_folder && !is_agent_log(log))
    return check_log(log, allow_unfinished);
  const auto of_agent = is_folder ? check_agent_folder(log, allow_unfinished)
                                  : check_agent_log(log, allow_unfinished);
  if (!of_agent)
    return fail(of_agent.error());
  auto all = is_folder
               ? check_log(host::session_folder_of(log), allow_unfinished)
               : result<verdict>{};
  if (all)
    add(*all, *of_agent);
  return all;
}

/// A server's data folder, its log of runs, or a run with the attempts to roll
/// it back, which have none of their own.
result<verdict> check_any(const std::string& log, bool allow_unfinished) {
  if (is_data_folder(log))
    return check_data_folder(log);
  if (server::is_run_log(log))
    return as_verdict(check_run_log(log));
  if (!host::is_agent_folder(log))
    return check_run(log, allow_unfinished);
  auto all = check_run(log, allow_unfinished || rests_rolled_back(log));
  if (!all)
    return all;
  add(*all, check_rollback(log, allow_unfinished));
  for (const auto& attempt : attempt_folders(log)) {
    std::error_code failed;
    if (std::filesystem::is_symlink(attempt, failed)) {
      add(*all, linked_attempt(attempt));
      continue;
    }
    auto checked = check_run(attempt.string(), allow_unfinished);
    if (!checked)
      return checked;
    add(*all, *checked);
  }
  return all;
}

void print_text(const std::string& log, const verdict& all, bool quiet) {
  print_findings(all.findings);
  if (quiet)
    return;
  const auto hidden = all.findings_total - all.findings.size();
  print_line(fmt::format(
    "{}: {}, {}{}, {}{}{}{}{}{}{}{}", log, plural(all.events, "event"),
    plural(all.sessions, "session"),
    all.runs == 0 ? "" : ", " + plural(all.runs, "workflow run"),
    plural(all.findings_total, "finding"),
    hidden == 0 ? "" : fmt::format(" ({} not shown)", hidden),
    all.recomputed == all.sessions
      ? ""
      : fmt::format(", {} not computed again",
                    plural(all.sessions - all.recomputed, "session")),
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
    told_cut(all.sessions_cut)));
}

json::object to_json(const std::string& log, const verdict& all) {
  return {{"log", sanitize_utf8(log)},
          {"events", all.events},
          {"sessions", all.sessions},
          {"sessions_recomputed", all.recomputed},
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

result<int> check(const check_arguments& arguments,
                  const common_options& common) {
  json::array logs;
  std::size_t findings = 0;
  for (const auto& log : arguments.logs) {
    const auto checked = check_any(log, arguments.allow_unfinished);
    if (!checked)
      return fail(checked.error());
    findings += checked->findings_total;
    if (common.json)
      logs.push_back(to_json(log, *checked));
    else
      print_text(log, *checked, common.quiet);
  }
  if (common.json)
    print_json(json::object{{"good", findings == 0}, {"logs", logs}});
  return findings == 0 ? exit_good : exit_no;
}

} // namespace

void add_check(const command_line& program) {
  program.add<check_arguments>("check", check, add_options);
}

} // namespace convene::cli
