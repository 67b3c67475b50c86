#include <boost/json/serialize.hpp>
#include <convene/cli/commands/watch/watch_command.hpp>
#include <convene/cli/commands/watch/watched_files.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/integrations/drift/baseline.hpp>
#include <convene/integrations/git/git_reporter.hpp>
#include <convene/integrations/intake/drop_folder.hpp>
#include <convene/integrations/intake/intake.hpp>
#include <convene/integrations/intake/rising_time.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/line_file.hpp>
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// Sleeps between two looks, until somebody ends it.
class pause {
public:
  void end() {
    const std::lock_guard held{mutex_};
    ended_ = true;
    changed_.notify_all();
  }

  /// False: it was ended.
  bool sleep(std::chrono::milliseconds time) {
    std::unique_lock held{mutex_};
    return !changed_.wait_for(held, time, [this] { return ended_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

/// What is watched.
struct watched_source {
  std::function<result<void>()> look;
  bool fails = false; ///< and that was told
};

class outside_watch {
public:
  outside_watch(const watch_arguments& arguments, const common_options& common)
    : arguments_{arguments}, common_{common} {
    if (!arguments.files.empty())
      sources_.push_back({[this] { return look_at_files(); }});
    if (!arguments.git.empty())
      sources_.push_back({[this] { return look_at_git(); }});
    if (!arguments.drop.empty())
      sources_.push_back({[this] { return look_at_drop(); }});
  }

  int run() {
    pause between;
    // Before any other thread starts.
    const signal_watch signals{[&between] { between.end(); }};
    auto done = open();
    for (bool more = true; done && more;) {
      done = look();
      more = done && !arguments_.once
             && between.sleep(std::chrono::milliseconds{arguments_.poll_ms});
    }
    // What was seen meanwhile is not lost.
    if (done && !arguments_.once)
      done = look();
    const auto overflows = files_ ? files_->overflows() : 0;
    files_.reset();
    if (!done)
      return report(done.error(), common_.json);
    tell(overflows);
    const bool has_refused = drop_ && drop_->done().refused != 0;
    return signals.exit_code(has_refused ? exit_no : exit_good);
  }

private:
  result<void> open() {
    if (const auto named = host::check_source(arguments_.source); !named)
      return fail(errc::usage, "--source " + named.error().message,
                  named.error().rule);
    const auto now = time_.now(now_ms());
    auto log = host::line_file::open(
      arguments_.log, R"({"event_id":)",
      [&](std::string_view line, std::size_t) -> result<void> {
        const auto before = host::read_incoming_line(line);
        if (!before)
          return fail(before.error());
        intake_.restore(*before, now);
        return {};
      });
    if (!log)
      return fail(std::move(log).error());
    log_ = *std::move(log);
    if (!arguments_.drop.empty()) {
      auto drop = host::drop_folder::open(arguments_.drop, arguments_.source);
      if (!drop)
        return fail(std::move(drop).error());
      drop_ = *std::move(drop);
    }
    if (!arguments_.git.empty()) {
      git_.emplace(arguments_.git);
      if (const auto learned = git_->look(now); !learned)
        return fail(learned.error());
    }
    if (arguments_.files.empty())
      return {};
    // Writing the log is no change to be told of.
    auto files = host::file_reporter::open(
      arguments_.files,
      {.whole = true,
       .excluded = arguments_.exclude,
       .ignored = host::paths_below(arguments_.files,
                                    {arguments_.log, arguments_.drop})});
    if (!files)
      return fail(std::move(files).error());
    files_ = std::make_unique<watched_files>(*std::move(files),
                                             arguments_.files, time_);
    return {};
  }

  /// What one source has is written before the next is asked, and one that
  /// fails is told of, once until it works again, and keeps nobody from the
  /// others. The log's failure ends it all, as does any with `--once`.
  result<void> look() {
    for (auto& each : sources_) {
      auto done = each.look();
      if (auto written = write(); !written)
        return written;
      if (!done && arguments_.once)
        return done;
      if (!done && !each.fails)
        print_note(line_of(done.error())
                   + "; it is tried again, and told of once");
      each.fails = !done;
    }
    return {};
  }

  result<void> look_at_files() {
    const auto seen = files_->take();
    if (!seen)
      return fail(seen.error());
    result<void> all;
    for (const auto& each : *seen)
      if (auto done = make(
            host::incoming_kind::file_update,
            encode(file_update_event{.file_path = each.path,
                                     .change_type = each.how,
                                     .timestamp = format_timestamp(each.at)}),
            each.at);
          !done)
        all = std::move(done);
    return all;
  }

  result<void> look_at_git() {
    const auto now = time_.next(now_ms());
    const auto events = git_->look(now);
    if (!events)
      return fail(events.error());
    result<void> all;
    for (const auto& each : *events) {
      json::object made_by;
      if (!each.session_id.empty())
        made_by.emplace("session_id", each.session_id);
      if (!each.step_id.empty())
        made_by.emplace("step_id", each.step_id);
      if (auto done = make(host::incoming_kind::git, encode(each.what), now,
                           std::move(made_by));
          !done)
        all = std::move(done);
    }
    return all;
  }

  result<void> look_at_drop() {
    return drop_->read([this](auto what) { return take(std::move(what)); },
                       [this] { return write(); });
  }

  result<void> make(host::incoming_kind kind, json::value payload,
                    timestamp_ms at, json::object made_by = {}) {
    auto made = host::make_incoming(kind, arguments_.source, std::move(payload),
                                    ids_.next(), at);
    if (made && !made_by.empty())
      made->event.emplace("made_by", std::move(made_by));
    return made ? take(*std::move(made)) : fail(std::move(made).error());
  }

  /// Where there is no room, what waits is written first.
  result<void> take(host::incoming what) {
    if (intake_.offer(what, time_.now(now_ms())) != host::intake_verdict::full)
      return {};
    if (auto done = write(); !done)
      return done;
    intake_.offer(std::move(what), time_.now(now_ms()));
    return {};
  }

  /// Once it failed it fails: what was to be written is gone.
  result<void> write() {
    constexpr std::size_t batch = 1'000;
    while (log_works_ && intake_.size() != 0) {
      std::string lines;
      for (const auto& each : intake_.take(batch)) {
        lines += json::serialize(each.event) + '\n';
        ++written_;
        if (!common_.quiet && !common_.json)
          print(row(each));
      }
      log_works_ = log_->append(lines);
      flush_output();
    }
    return log_works_;
  }

  static std::string row(const host::incoming& what) {
    const auto& payload = object_of(what.event, "payload");
    std::string about;
    for (const auto* member :
         {"change_type", "file_path", "event_kind", "ref_name", "commit_id",
          "pipeline_id", "run_id", "tool_id", "status"})
      if (const auto text = text_of(payload, member); !text.empty())
        about += ' ' + neutral(text);
    return fmt::format("{}  {}  {}{}\n", format_timestamp(what.at),
                       neutral(text_of(what.event, "event_type")),
                       neutral(what.source), about);
  }

  void tell(std::uint64_t overflows) const {
    const auto& counts = intake_.counts();
    const auto dropped = drop_ ? drop_->done() : host::drop_folder::counts{};
    if (common_.json)
      return print_json(
        json::object{{"log", sanitize_utf8(arguments_.log)},
                     {"written", written_},
                     {"coalesced", counts.coalesced},
                     {"duplicates", counts.duplicates},
                     {"outdated", counts.outdated},
                     {"held_back", counts.held_back},
                     {"overflows", overflows},
                     {"files_dropped", dropped.files},
                     {"refused", dropped.refused},
                     {"commits_left_out", git_ ? git_->left_out() : 0}});
    if (dropped.refused != 0)
      print_note(fmt::format("{} refused: the reasons are in {}/{}",
                             plural(dropped.refused, "event"), arguments_.drop,
                             host::refused_folder));
    if (git_ && git_->left_out() != 0)
      print_note(plural(git_->left_out(), "older commit") + " left out");
    if (!common_.quiet)
      print(fmt::format("{}: {} written, {} coalesced, {} there already, {} "
                        "outdated\n",
                        neutral(arguments_.log), plural(written_, "event"),
                        counts.coalesced, counts.duplicates, counts.outdated));
  }

  const watch_arguments& arguments_;
  const common_options& common_;
  host::rising_time time_;
  host::integration_intake intake_;
  std::optional<host::line_file> log_;
  result<void> log_works_;
  std::optional<host::drop_folder> drop_;
  std::optional<host::git_reporter> git_;
  std::unique_ptr<watched_files> files_;
  std::vector<watched_source> sources_;
  uuid_source ids_ = uuid_source::from_entropy();
  std::uint64_t written_ = 0;
};

} // namespace

int watch_outside(const watch_arguments& arguments,
                  const common_options& common) {
  return outside_watch{arguments, common}.run();
}

} // namespace convene::cli
