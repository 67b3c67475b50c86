#include <convene/cli/commands/drift/drift_report.hpp>
#include <convene/cli/commands/drift/drift_text.hpp>
#include <convene/cli/commands/drift/repository_report.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/drift/drift_json.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using skipped_files = std::vector<std::pair<std::string, std::string>>;

/// Everything that could not be compared, in one list.
std::vector<error> all_errors(const drift_report& of) {
  auto all = of.tracked.errors;
  for (const auto& [path, what] : of.check.errors())
    all.push_back(what);
  if (of.updates)
    all.insert(all.end(), of.updates->errors.begin(), of.updates->errors.end());
  all.insert(all.end(), of.errors.begin(), of.errors.end());
  return all;
}

/// 0, or the code of the worst.
int code_of(const std::vector<error>& errors) {
  int worst = exit_good;
  for (const auto& each : errors)
    worst = std::max(worst, std::max(exit_code_of(each), exit_usage));
  return worst;
}

json::array errors_json(const std::vector<error>& errors) {
  json::array made;
  for (const auto& each : errors)
    made.push_back(error_json(each).at("error"));
  return made;
}

json::array skipped_json(const skipped_files& skipped) {
  json::array made;
  for (const auto& [path, why] : skipped)
    made.push_back({{"path", sanitize_utf8(path)}, {"reason", why}});
  return made;
}

skipped_files all_skipped(const drift_report& of) {
  auto all = of.tracked.skipped;
  all.insert(all.end(), of.check.skipped().begin(), of.check.skipped().end());
  return all;
}

std::vector<drift_record> open_records(const drift_report& of) {
  return with_renames(of.check.book().open());
}

json::object to_json(const drift_report& of) {
  json::array drift;
  for (const auto& each : open_records(of))
    drift.push_back(protocol::to_json(each));
  json::array reconciled;
  for (const auto& [path, kept] : of.reconciled) {
    json::object one{{"path", path}};
    if (!kept.empty())
      one.emplace("kept", sanitize_utf8(kept));
    reconciled.push_back(std::move(one));
  }
  json::object made{{"folder",
                     sanitize_utf8(of.check.folder().name().string())},
                    {"compared", of.check.compared()},
                    {"drift", std::move(drift)},
                    {"resolved", of.resolved},
                    {"reconciled", std::move(reconciled)}};
  if (!of.recorded.empty())
    made.emplace("recorded", sanitize_utf8(of.recorded));
  if (of.updates)
    made.emplace("events",
                 json::object{{"file_updates", of.updates->taken},
                              {"passed_over", of.updates->passed_over},
                              {"refused", of.updates->refused},
                              {"outdated", of.check.outdated()}});
  if (of.overflows)
    made.emplace("overflows", *of.overflows);
  if (of.repository)
    made.emplace("repository", cli::to_json(*of.repository));
  made.emplace("skipped", skipped_json(all_skipped(of)));
  made.emplace("errors", errors_json(all_errors(of)));
  return made;
}

std::string summary(const drift_report& of, std::size_t differ) {
  auto text = plural(of.check.compared(), "file") + " compared, "
              + (differ == 0 ? "no drift"
                             : std::to_string(differ) + " differ"
                                 + (differ == 1 ? "s" : ""));
  if (of.resolved != 0)
    text += fmt::format(", {} resolved", of.resolved);
  return text + '\n';
}

void print_skipped(const skipped_files& skipped, const common_options& common) {
  if (common.verbose)
    for (const auto& [path, why] : skipped)
      print_line(fmt::format("skipped: {}: {}", path, why));
  else if (!skipped.empty())
    print(plural(skipped.size(), "path") + " skipped (-v lists them)\n");
}

void print_text(const drift_report& of, const common_options& common) {
  const auto records = open_records(of);
  print(summary(of, records.size()));
  for (const auto& each : records)
    print(drift_row(each, common.verbose));
  for (const auto& [path, kept] : of.reconciled)
    print("reconciled: " + neutral(path)
          + (kept.empty() ? std::string{}
                          : ", what was there is now " + neutral(kept))
          + '\n');
  if (!of.recorded.empty())
    print("recorded in " + neutral(of.recorded) + '\n');
  if (of.updates)
    print(fmt::format("{} read, {} of other types, {} refused, {} outdated\n",
                      plural(of.updates->taken, "file_update event"),
                      of.updates->passed_over, of.updates->refused,
                      of.check.outdated()));
  if (of.overflows.value_or(0) != 0)
    print(fmt::format("looked at everything {} because there were too many "
                      "changes\n",
                      plural(*of.overflows, "time")));
  if (of.repository)
    print(repository_text(*of.repository));
  print_skipped(all_skipped(of), common);
}

} // namespace

int show(const drift_report& what, const common_options& common) {
  const auto errors = all_errors(what);
  if (common.json) {
    print_json(to_json(what));
  } else {
    if (!common.quiet)
      print_text(what, common);
    for (const auto& each : errors)
      print_note(line_of(each));
  }
  // A disk that fails says nothing of drift; anything else is secondary to it.
  const int code = code_of(errors);
  const bool drifted = !what.check.book().open().empty()
                       || (what.repository && differs(*what.repository));
  return drifted && code != exit_fault ? exit_no : code;
}

int show_recorded(const host::taken_baseline& taken, const std::string& file,
                  const common_options& common) {
  const auto count = taken.baseline.artifacts.size();
  if (common.json) {
    print_json(json::object{{"recorded", sanitize_utf8(file)},
                            {"files", count},
                            {"skipped", skipped_json(taken.skipped)},
                            {"errors", errors_json(taken.errors)}});
  } else {
    if (!common.quiet) {
      print(plural(count, "file") + " recorded in " + neutral(file) + '\n');
      print_skipped(taken.skipped, common);
    }
    for (const auto& each : taken.errors)
      print_note(line_of(each));
  }
  return code_of(taken.errors);
}

} // namespace convene::cli
