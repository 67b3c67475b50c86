#include <convene/cli/commands/check/check_data.hpp>
#include <convene/cli/commands/check/verdict_text.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/reading_progress.hpp>
#include <convene/runtime/audit/audit_log.hpp>
#include <convene/runtime/audit/check_log.hpp>

#include <filesystem>
#include <string>
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

result<host::log_verdict> as_verdict(const result<host::agent_verdict>& from) {
  if (!from)
    return fail(from.error());
  host::log_verdict all;
  add(all, *from);
  return all;
}

/// The sessions and runs of a server. Those that have not ended are no finding.
result<host::log_verdict> check_data_folder(const std::string& folder) {
  auto all = host::check_log((std::filesystem::path{folder} / "log").string(),
                             true);
  if (!all)
    return all;
  const auto rest = check_data(folder);
  if (!rest)
    return fail(rest.error());
  add(*all, *rest);
  return all;
}

/// Also what a server keeps: its data folder, its log of runs.
result<host::log_verdict> check_any(const std::string& log,
                                    bool allow_unfinished) {
  if (host::is_data_folder(log))
    return check_data_folder(log);
  if (host::is_run_log(log))
    return as_verdict(check_run_log(log));
  return host::audit_log(log, allow_unfinished);
}

result<int> check(const check_arguments& arguments,
                  const common_options& common) {
  json::array logs;
  std::size_t findings = 0;
  for (const auto& log : arguments.logs) {
    const auto checked = [&] {
      const reading_progress shown{!common.quiet, "checking"};
      return check_any(log, arguments.allow_unfinished);
    }();
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
