#include <convene/runtime/audit/audit_log.hpp>
#include <convene/runtime/audit/check_agent.hpp>
#include <convene/runtime/audit/check_events.hpp>
#include <convene/runtime/audit/check_log.hpp>
#include <convene/runtime/audit/check_rollback.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <fstream>
#include <system_error>

namespace convene::host {

namespace fs = std::filesystem;
using namespace convene::protocol;

namespace {

/// Enough for the lines that open a log and the beginning of its first event.
constexpr std::size_t looked_at = 1'024;

agent_verdict linked_attempt(const std::filesystem::path& folder) {
  agent_verdict made;
  made.note({folder.string(),
             0,
             {.rule = "rollback_event",
              .message = "is a link, and not the folder that an attempt "
                         "wrote: it is not checked"}});
  return made;
}

/// Also the events of a single agent, and the folder of its run, in which the
/// log is that of a session.
result<log_verdict> check_run(const std::string& log, bool allow_unfinished) {
  const bool is_folder = is_agent_folder(log);
  if (!is_folder && !is_agent_log(log))
    return check_log(log, allow_unfinished);
  const auto of_agent = is_folder ? check_agent_folder(log, allow_unfinished)
                                  : check_agent_log(log, allow_unfinished);
  if (!of_agent)
    return fail(of_agent.error());
  auto all = is_folder ? check_log(session_folder_of(log), allow_unfinished)
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

} // namespace

bool is_data_folder(const fs::path& folder) {
  std::error_code failed;
  return fs::is_directory(folder / "log", failed)
         && fs::is_directory(folder / "runs", failed)
         && !fs::exists(folder / "run.json", failed);
}

bool is_run_log(const fs::path& log) {
  const auto files = log_files(log);
  if (!files || files->empty())
    return false;
  std::string start(looked_at, '\0');
  std::ifstream from{files->front(), std::ios::binary};
  from.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(from.gcount()));
  return start.find("\n{\"session_id\":\"") != start.npos
         && start.find("\",\"run_event\":{") != start.npos;
}

result<log_verdict> audit_log(const std::string& log, bool allow_unfinished) {
  if (!is_agent_folder(log)) {
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

} // namespace convene::host
