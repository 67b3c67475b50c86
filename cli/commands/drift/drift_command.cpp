#include <convene/cli/commands/drift/drift_command.hpp>
#include <convene/cli/commands/drift/drift_report.hpp>
#include <convene/cli/commands/drift/drift_text.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/integrations/drift/baseline.hpp>
#include <convene/integrations/drift/drift_log.hpp>
#include <convene/integrations/drift/folder_watch.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

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
    told_ = log_->append(how, record, now_ms());
  }

  result<void> look() {
    auto done = check_.look_at_all(now_ms());
    return done ? told_ : done;
  }

  /// Looks at what events are about. One from the future is from now.
  result<void> take_events() {
    auto updates = host::read_file_updates(arguments_.events);
    if (!updates)
      return fail(std::move(updates).error());
    const auto now = now_ms();
    for (const auto& [path, at] : updates->latest)
      check_.look_at(path, std::min(at, now));
    report_.updates = *std::move(updates);
    return told_;
  }

  /// Folders that are found are looked at once more, since something may have
  /// changed there before they were covered.
  result<void> look_and_cover(host::folder_watch& changed) {
    const auto before = check_.folders();
    changed.cover(before);
    auto done = look();
    if (!done || check_.folders() == before)
      return done;
    changed.cover(check_.folders());
    return look();
  }

  int watch() {
    std::optional<std::chrono::milliseconds> poll;
    if (arguments_.poll_ms != 0)
      poll.emplace(arguments_.poll_ms);
    host::folder_watch changed{check_.folder().name(), poll};
    const signal_watch signals{[&changed] { changed.stop(); }};
    auto done = look_and_cover(changed);
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
        done = look_and_cover(changed);
      } else {
        for (const auto& path : changes->paths)
          check_.look_at(path, std::max(now_ms(), check_.book().latest() + 1));
        done = told_;
      }
    }
    report_.overflows = changed.overflows();
    if (!done)
      return report(done.error(), common_.json);
    (void)show(report_, common_);
    return exit_signal + signals.caught();
  }

  /// The graph wins: files are written as the run left them.
  result<void> write_files() {
    if (tracked_.is_baseline)
      return fail(errc::usage,
                  "a record of files has their hashes, not what they held: "
                  "--reconcile graph is for the folder of a run",
                  "contents_missing");
    const auto keep_at = std::string{host::kept_folder} + '/'
                         + format_timestamp(now_ms());
    for (const auto& [path, record] : check_.book().open()) {
      const auto* const known = check_.book().find(path);
      if (known == nullptr || scope_.ignores(path))
        continue; // the run says nothing of it, or it is left out
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
    const auto now = std::max(now_ms(), check_.book().latest() + 1);
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

} // namespace

int compare_files(const drift_arguments& arguments,
                  const common_options& common, host::tracked_files tracked,
                  host::project_folder folder, host::drift_scope scope) {
  return drift_command{arguments, common, std::move(tracked), std::move(folder),
                       std::move(scope)}
    .run();
}

} // namespace convene::cli
