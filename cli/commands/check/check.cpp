#include <convene/cli/commands/check/check_agent.hpp>
#include <convene/cli/commands/check/check_data.hpp>
#include <convene/cli/commands/check/check_events.hpp>
#include <convene/cli/commands/check/check_log.hpp>
#include <convene/cli/commands/check/check_rollback.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/server/runs/run_audit.hpp>

#include <filesystem>
#include <system_error>
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

agent_verdict linked_attempt(const std::filesystem::path& folder) {
  agent_verdict made;
  made.note({folder.string(),
             0,
             {.rule = "rollback_event",
              .message = "is a link, and not the folder that an attempt "
                         "wrote: it is not checked"}});
  return made;
}

result<log_verdict> as_verdict(const result<agent_verdict>& from) {
  if (!from)
    return fail(from.error());
  log_verdict all;
  add(all, *from);
  return all;
}

/// The sessions and runs of a server. Those that have not ended are no finding.
result<log_verdict> check_data_folder(const std::string& folder) {
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
result<log_verdict> check_run(const std::string& log, bool allow_unfinished) {
  const bool is_folder = host::is_agent_folder(log);
  if (!is_folder && !is_agent_log(log))
    return check_log(log, allow_unfinished);
  const auto of_agent = is_folder ? check_agent_folder(log, allow_unfinished)
                                  : check_agent_log(log, allow_unfinished);
  if (!of_agent)
    return fail(of_agent.error());
  auto all = is_folder
               ? check_log(host::session_folder_of(log), allow_unfinished)
               : result<log_verdict>{};
  if (all)
    add(*all, *of_agent);
  return all;
}

/// Whether the file does not begin like a log of convene.
bool is_other(const result<log_verdict>& checked) {
  if (!checked)
    return checked.error().rule == "not_a_log";
  return checked->events == 0 && checked->findings_total == 1
         && checked->findings.front().what.rule == "log_opened_missing";
}

/// A server's data folder, its log of runs, or a run with the attempts to roll
/// it back, which have none of their own.
result<log_verdict> check_any(const std::string& log, bool allow_unfinished) {
  if (is_data_folder(log))
    return check_data_folder(log);
  if (server::is_run_log(log))
    return as_verdict(check_run_log(log));
  if (!host::is_agent_folder(log)) {
    auto checked = check_run(log, allow_unfinished);
    if (is_other(checked))
      if (auto events = check_events(log);
          events ? events->events != 0 : events.error().rule == "event_array")
        return events;
    return checked;
  }
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
