#include <convene/cli/common/drift_arguments.hpp>
#include <convene/cli/common/drift_report.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/repository_report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/drift_text.hpp>
#include <convene/runtime/drift/baseline.hpp>
#include <convene/runtime/drift/drift_log.hpp>
#include <convene/runtime/drift/folder_watch.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr int drift_exit_signal = 128; // and the signal's number

timestamp_ms drift_now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch())
    .count();
}

/// Compares, and tells what it finds where it is wanted.
class drift_command {
public:
  drift_command(const drift_arguments& arguments, const common_options& common,
                host::tracked_files tracked, host::project_folder folder,
                host::drift_scope scope)
    : arguments_{arguments}, common_{common}, tracked_{std::move(tracked)},
      scope_{std::move(scope)}, check_{std::move(folder), tracked_, scope_,
                                       [this](drift_change how,
                                              const drift_record& record) {
                                         tell(how, record);
                                       }},
      report_{.check = check_, .tracked = tracked_} {
    // nop
  }

  int run() {
    if (!arguments_.log.empty()) {
      auto log = host::drift_log::open(arguments_.log, check_.book());
      if (!log)
        return report(log.error(), common_.json);
      log_.emplace(*std::move(log));
    }
    if (arguments_.watch)
      return watch();
    auto done = arguments_.events.empty() ? look() : take_events();
    if (done && arguments_.reconcile == "graph")
      done = write_files();
    else if (done && arguments_.reconcile == "disk")
      done = take_files();
    if (done && arguments_.git)
      done = compare_git();
    if (!done)
      return report(done.error(), common_.json);
    return show(report_, common_);
  }

private:
  void tell(drift_change how, const drift_record& record) {
    report_.resolved += how == drift_change::resolved ? 1 : 0;
    if (arguments_.watch && started_ && !common_.json && !common_.quiet) {
      print(drift_change_row(how, record, common_.verbose));
      flush_output();
    }
    if (!log_ || !told_)
      return;
    told_ = log_->append(how, record, drift_now());
  }

  result<void> look() {
    auto done = check_.look_at_all(drift_now());
    return done ? told_ : done;
  }

  /// Looks at what events are about. One from the future is from now.
  result<void> take_events() {
    auto updates = host::read_file_updates(arguments_.events);
    if (!updates)
      return fail(std::move(updates).error());
    const auto now = drift_now();
    for (const auto& [path, at] : updates->latest)
      check_.look_at(path, std::min(at, now));
    report_.updates = *std::move(updates);
    return told_;
  }

  int watch() {
    std::optional<std::chrono::milliseconds> poll;
    if (arguments_.poll_ms != 0)
      poll.emplace(arguments_.poll_ms);
    host::folder_watch changed{check_.folder().name(), poll};
    const signal_watch signals{[&changed] { changed.stop(); }};
    changed.cover({""});
    auto done = look();
    changed.cover(check_.folders());
    // What changed while the folders were being covered.
    if (done)
      done = look();
    if (done && !common_.json)
      (void)show(report_, common_);
    flush_output();
    report_.resolved = 0;
    started_ = true;
    const bool notified = !changed.polls();
    if (done && !notified && !poll)
      print_note("the system does not notify of changes: looking every second");
    while (done) {
      const auto changes = changed.wait();
      if (!changes)
        break;
      if (changes->all) {
        changed.cover(check_.folders());
        done = look();
        changed.cover(check_.folders());
      } else {
        for (const auto& path : changes->paths)
          check_.look_at(path,
                         std::max(drift_now(), check_.book().latest() + 1));
        done = told_;
      }
    }
    report_.overflows = changed.overflows();
    if (!done)
      return report(done.error(), common_.json);
    (void)show(report_, common_);
    return drift_exit_signal + signals.caught();
  }

  /// The graph wins: files are written as the run left them.
  result<void> write_files() {
    if (tracked_.is_baseline)
      return fail(errc::usage,
                  "a record of files has their hashes, not what they held: "
                  "--reconcile graph is for the folder of a run",
                  "contents_missing");
    const auto keep_at = std::string{host::kept_folder} + '/'
                         + format_timestamp(drift_now());
    for (const auto& [path, record] : check_.book().open()) {
      const auto* const known = check_.book().find(path);
      if (known == nullptr)
        continue; // the run says nothing of it
      std::optional<std::string_view> content;
      if (known->expected.exists)
        content = tracked_.contents.at(path);
      const auto moved = check_.folder().replace(path, content,
                                                 record.actual.exists, keep_at);
      if (!moved) {
        report_.errors.push_back(moved.error());
        continue;
      }
      const auto kept = check_.folder().name() / keep_at / path;
      report_.reconciled.emplace_back(path, *moved ? kept.string() : "");
    }
    return look();
  }

  /// The files win: they are recorded as they are.
  result<void> take_files() {
    if (!tracked_.is_baseline && arguments_.record.empty())
      return fail(errc::usage,
                  "what a run left does not change: name a file for the files "
                  "as they are with --record FILE, and compare with that",
                  "record_missing");
    report_.recorded = arguments_.record.empty() ? arguments_.path
                                                 : arguments_.record;
    const auto now = std::max(drift_now(), check_.book().latest() + 1);
    auto taken = host::take_baseline(check_.folder(), tracked_, scope_, now);
    if (!taken)
      return fail(std::move(taken).error());
    if (arguments_.git) {
      auto head = host::head_commit(check_.folder().name());
      if (!head)
        return fail(std::move(head).error());
      tracked_.commit = *std::move(head);
    }
    taken->baseline.commit = tracked_.commit;
    if (auto done = host::write_baseline(report_.recorded, taken->baseline,
                                         check_.folder().name());
        !done)
      return done;
    for (const auto& [path, record] : check_.book().open())
      check_.book().track({.path = path, .node = record.node, .at = now});
    for (const auto& each : taken->baseline.artifacts) {
      if (check_.book().open().contains(each.path))
        report_.reconciled.emplace_back(each.path, "");
      check_.book().track(each);
    }
    return look();
  }

  result<void> compare_git() {
    auto found = host::compare_repository(check_.folder().name(),
                                          arguments_.since.empty()
                                            ? tracked_.commit
                                            : arguments_.since,
                                          std::string{host::kept_folder});
    if (!found)
      return fail(std::move(found).error());
    report_.repository = *std::move(found);
    return {};
  }

  const drift_arguments& arguments_;
  const common_options& common_;
  host::tracked_files tracked_;
  host::drift_scope scope_;
  host::drift_check check_;
  drift_report report_;
  std::optional<host::drift_log> log_;
  result<void> told_;
  bool started_ = false;
};

int record_files(const drift_arguments& arguments, const common_options& common,
                 const host::project_folder& folder,
                 const host::drift_scope& scope) {
  auto taken = host::take_baseline(folder, {}, scope, drift_now());
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
  const auto name = arguments.files.empty() ? tracked->folder : arguments.files;
  if (name.empty())
    return report({.code = errc::usage,
                   .message = "a run does not say where its files are: name "
                              "the folder with --files DIR"},
                  common.json);
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
  return drift_command{arguments, common, *std::move(tracked),
                       *std::move(folder), std::move(scope)}
    .run();
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
    chosen = [arguments, &common] { return drift(*arguments, common); };
  });
}

} // namespace convene::cli
