#include <convene/cli/common/report.hpp>
#include <convene/cli/common/run_sessions.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/event_log/removed_segments.hpp>
#include <convene/runtime/scenario/scenario.hpp>
#include <convene/runtime/scenario/trace.hpp>
#include <convene/runtime/session_documents.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Sees one session's events, on whatever thread; the runtime never calls it
/// from two at a time.
struct session_watch {
  host::trace_builder trace;
  std::optional<timeline> shown;

  void see(std::string_view lines) {
    trace.add(lines);
    while (shown && !lines.empty()) {
      const auto end = std::min(lines.find('\n'), lines.size() - 1);
      if (const auto event = protocol::parse_json(lines.substr(0, end));
          event && event->is_object())
        print(shown->show(event->get_object()));
      lines.remove_prefix(end + 1);
    }
    if (shown)
      flush_output();
  }
};

/// A session that runs, and who watches it.
struct running_session {
  session_handle handle;
  std::shared_ptr<session_watch> watch;
};

/// What a signal stops.
class interruption {
public:
  /// Called for a signal.
  void happen() {
    const std::lock_guard held{mutex_};
    happened_ = true;
    if (runtime_ != nullptr)
      runtime_->suspend_all("interrupted");
  }

  void concerns(convene::runtime* runtime) {
    const std::lock_guard held{mutex_};
    runtime_ = runtime;
    if (happened_ && runtime != nullptr)
      runtime->suspend_all("interrupted");
  }

  [[nodiscard]] bool has_happened() {
    const std::lock_guard held{mutex_};
    return happened_;
  }

private:
  std::mutex mutex_;
  bool happened_ = false;
  convene::runtime* runtime_ = nullptr;
};

/// Waits for the session's end and shows how many others have ended.
result<session_result> await(const session_handle& session,
                             progress_line& progress, std::size_t ended,
                             std::size_t all) {
  constexpr milliseconds between{200};
  for (;;) {
    if (auto outcome = session.await_for(between))
      return std::move(*outcome);
    progress.show(fmt::format("{} of {} sessions have ended", ended, all));
  }
}

protocol::result<void>
count(const session_result& ended, const session_watch& watch,
      convene::runtime& runtime, const host::output_folder& out,
      session_tally& tally) {
  const auto plan_id = ended.plan ? std::optional{ended.plan->plan_id}
                                  : std::nullopt;
  const auto documents
    = host::make_documents(ended, watch.trace.finish(ended.collab, plan_id));
  if (auto valid = runtime.check_documents(documents); !valid)
    return valid;
  auto written = out.write_session(documents);
  if (!written)
    return protocol::fail(std::move(written).error());
  tally.results.push_back(std::move(*written));
  ++(ended.status == collab_status::completed ? tally.completed
                                              : tally.cancelled);
  return {};
}

/// Whether the session has not failed, but was kept from going on.
bool is_left_alone(const protocol::error& why) {
  return why.rule == "session_suspended" || why.rule == "runtime_closing";
}

/// Whether the log, if it is one of segments, has lost its first ones.
bool is_trimmed(const host::output_folder& out) {
  const auto removed = host::read_removed(out.log());
  return removed && removed->through != 0;
}

/// Of a session that has neither documents nor, on the log, its beginning: it
/// may have ended.
protocol::error removed_session() {
  return {.code = protocol::errc::unreadable,
          .message = "it has no documents, and what they would be made of may "
                     "have been removed from the log; it is not run again",
          .rule = "session_removed"};
}

class sessions {
public:
  sessions(const session_order& order, const host::output_folder& out)
    : order_(order), out_(out), is_trimmed_(is_trimmed(out)) {}

  /// Opens the log, with what is on it already.
  protocol::result<std::unique_ptr<convene::runtime>> open() {
    std::map<std::string, std::shared_ptr<session_watch>> watches;
    const convene::recovery_options with{
      .observe =
        [&](const std::string& id) {
          return observer_of(watches[id] = new_watch());
        },
      .wants_ended
      = [this](const std::string& id) { return !out_.has_result(id); },
      .resume_suspended = true};
    auto opened = convene::runtime::open(order_.runtime, with);
    if (!opened)
      return opened;
    const auto& found = (*opened)->recovered();
    for (const auto& handle : found.sessions) {
      all_.push_back({handle, watches[handle.id()]});
      if (is_trimmed_)
        gone_on_with_.insert(handle.id());
    }
    on_log_ = {found.on_log.begin(), found.on_log.end()};
    return opened;
  }

  /// Starts those that are not on the log. Where segments were removed, nobody
  /// knows whether one without documents has never begun.
  void start(convene::runtime& runtime, interruption& stop,
             session_tally& tally) {
    const auto refuse_lost = [&](const std::string& id) {
      if (!out_.has_result(id))
        tally.failed.emplace_back(id, removed_session());
    };
    if (is_trimmed_)
      for (const auto& id : runtime.recovered().on_log)
        if (!gone_on_with_.contains(id))
          refuse_lost(id);
    if (!order_.scenario)
      return;
    for (std::uint32_t i = 0; i < order_.instances && !stop.has_happened();
         ++i) {
      const auto id = host::session_id_of(*order_.scenario, i);
      if (on_log_.contains(id))
        continue;
      if (is_trimmed_) {
        refuse_lost(id);
        continue;
      }
      auto watch = new_watch();
      auto handle = runtime.start(host::another(*order_.scenario, i),
                                  {.observer = observer_of(watch)});
      all_.push_back({std::move(handle), std::move(watch)});
    }
  }

  /// What cannot be written is told; the others are left for `resume`.
  void finish(convene::runtime& runtime, session_tally& tally) {
    progress_line progress{order_.show_progress && all_.size() > 1};
    for (std::size_t i = 0; i < all_.size(); ++i) {
      auto& [handle, watch] = all_[i];
      auto ended = await(handle, progress, i, all_.size());
      if (!ended && is_left_alone(ended.error())) {
        tally.suspended += ended.error().rule == "session_suspended" ? 1 : 0;
      } else if (!ended) {
        tally.failed.emplace_back(handle.id(), std::move(ended).error());
      } else if (auto kept = count(*ended, *watch, runtime, out_, tally);
                 !kept) {
        runtime.suspend_all("stopped: " + kept.error().message);
        tally.failed.emplace_back(handle.id(), std::move(kept).error());
      }
      watch.reset(); // what it collected is written
    }
  }

private:
  std::shared_ptr<session_watch> new_watch() const {
    auto watch = std::make_shared<session_watch>();
    if (order_.show_timeline && order_.instances == 1)
      watch->shown.emplace(order_.style);
    return watch;
  }

  static convene::observer
  observer_of(const std::shared_ptr<session_watch>& watch) {
    return
      [watch](std::string_view, std::string_view lines) { watch->see(lines); };
  }

  const session_order& order_;
  const host::output_folder& out_;
  std::vector<running_session> all_;
  const bool is_trimmed_;
  std::unordered_set<std::string> on_log_;
  std::unordered_set<std::string> gone_on_with_;
};

} // namespace

protocol::result<session_tally> run_sessions(const session_order& order,
                                             const host::output_folder& out) {
  const auto begin = steady_clock::now();
  // Goes last: no signal may reach a session whose runtime is gone. Comes to
  // life after the signals are blocked, so that its threads leave them alone.
  std::unique_ptr<convene::runtime> runtime;
  interruption stop;
  const signal_watch signals{[&stop] { stop.happen(); }};
  sessions all{order, out};
  auto opened = all.open();
  if (!opened)
    return protocol::fail(std::move(opened).error());
  runtime = std::move(*opened);
  stop.concerns(runtime.get());
  const auto found = runtime->recovered().sessions.size();
  session_tally tally{.found = static_cast<std::uint32_t>(found),
                      .bytes_cut = runtime->recovered().bytes_cut};
  all.start(*runtime, stop, tally);
  all.finish(*runtime, tally);
  if (auto closed = runtime->close(); !closed)
    return protocol::fail(std::move(closed).error());
  tally.signal = signals.caught();
  tally.duration_ms
    = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin)
        .count();
  return tally;
}

} // namespace convene::cli
