#include <convene/cli/commands/drift/drift_arguments.hpp>
#include <convene/cli/commands/drift/drift_command.hpp>
#include <convene/cli/commands/drift/drift_report.hpp>
#include <convene/cli/commands/drift/repository_report.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/integrations/drift/baseline.hpp>

#include <memory>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

int record_files(const drift_arguments& arguments, const common_options& common,
                 const host::project_folder& folder,
                 const host::drift_scope& scope) {
  auto taken = host::take_baseline(folder, {}, scope, now_ms());
  if (!taken)
    return report(taken.error(), common.json);
  if (arguments.git) {
    auto head = host::head_commit(folder.name());
    if (!head)
      return report(head.error(), common.json);
    taken->baseline.commit = *std::move(head);
  }
  if (auto done = host::write_baseline(arguments.record, taken->baseline,
                                       folder.name());
      !done)
    return report(done.error(), common.json);
  return show_recorded(*taken, arguments.record, common);
}

int show_repository(const drift_arguments& arguments,
                    const common_options& common) {
  const auto found = host::compare_repository(arguments.files, arguments.since,
                                              std::string{host::kept_folder});
  return found ? show(*found, common) : report(found.error(), common.json);
}

int drift(const drift_arguments& arguments, const common_options& common) {
  if (auto ok = check(arguments); !ok)
    return report(ok.error(), common.json);
  const bool compares = !arguments.path.empty();
  if (!compares && arguments.record.empty())
    return show_repository(arguments, common);
  auto tracked = compares ? host::load_tracked(arguments.path)
                          : result<host::tracked_files>{};
  if (!tracked)
    return report(tracked.error(), common.json);
  auto name = arguments.files.empty() ? tracked->folder : arguments.files;
  if (name.empty() && arguments.reconcile == "graph")
    return report({.code = errc::usage,
                   .message = "a run does not say where its files are: name "
                              "the folder to write to with --files DIR"},
                  common.json);
  if (name.empty())
    name = ".";
  auto folder = host::project_folder::open(name);
  if (!folder)
    return report(folder.error(), common.json);
  host::drift_scope scope{
    .whole = arguments.added || tracked->whole || !compares,
    .excluded = tracked->excluded,
    .ignored = host::paths_below(name, {arguments.path, arguments.record,
                                        arguments.log})};
  scope.excluded.insert(scope.excluded.end(), arguments.exclude.begin(),
                        arguments.exclude.end());
  if (!compares)
    return record_files(arguments, common, *folder, scope);
  return compare_files(arguments, common, *std::move(tracked),
                       *std::move(folder), std::move(scope));
}

} // namespace

void add_drift(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "drift", "Shows where files differ from what a run wrote, or from what "
             "they were");
  auto arguments = std::make_shared<drift_arguments>();
  declare(*arguments, command);
  add_common(command, common);
  command.footer(
    "Example: convene drift convene-out/review --files . --log drift.jsonl\n"
    "Exit code 0 without drift, 1 with drift, 2 if something could not be "
    "compared.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] {
      return drift(as_meant(*arguments), common);
    };
  });
}

} // namespace convene::cli
