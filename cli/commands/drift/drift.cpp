#include <convene/cli/commands/drift/drift_arguments.hpp>
#include <convene/cli/commands/drift/drift_command.hpp>
#include <convene/cli/commands/drift/drift_report.hpp>
#include <convene/cli/commands/drift/repository_report.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/integrations/drift/baseline.hpp>

#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

result<int> record_files(const drift_arguments& arguments,
                         const common_options& common,
                         const host::project_folder& folder,
                         const host::drift_scope& scope) {
  auto taken = host::take_baseline(folder, {}, scope, now_ms());
  if (!taken)
    return fail(taken.error());
  if (arguments.git) {
    auto head = host::head_commit(folder.name());
    if (!head)
      return fail(head.error());
    taken->baseline.commit = *std::move(head);
  }
  if (auto done = host::write_baseline(arguments.record, taken->baseline,
                                       folder.name());
      !done)
    return fail(done.error());
  return show_recorded(*taken, arguments.record, common);
}

result<int> show_repository(const drift_arguments& arguments,
                            const common_options& common) {
  const auto found = host::compare_repository(arguments.files, arguments.since,
                                              std::string{host::kept_folder});
  if (!found)
    return fail(found.error());
  return show(*found, common);
}

result<int> drift(const drift_arguments& given, const common_options& common) {
  const auto arguments = as_meant(given);
  if (auto ok = check(arguments); !ok)
    return fail(ok.error());
  const bool compares = !arguments.path.empty();
  if (!compares && arguments.record.empty())
    return show_repository(arguments, common);
  auto tracked = compares ? host::load_tracked(arguments.path)
                          : result<host::tracked_files>{};
  if (!tracked)
    return fail(tracked.error());
  auto name = arguments.files.empty() ? tracked->folder : arguments.files;
  if (name.empty() && arguments.reconcile == "graph")
    return fail({.code = errc::usage,
                 .message = "a run does not say where its files are: name "
                            "the folder to write to with --files DIR"});
  if (name.empty())
    name = ".";
  auto folder = host::project_folder::open(name);
  if (!folder)
    return fail(folder.error());
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

void add_drift(const command_line& program) {
  program.add<drift_arguments>("drift", drift, declare);
}

} // namespace convene::cli
