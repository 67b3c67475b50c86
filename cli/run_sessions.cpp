#include <convene/cli/report.hpp>
#include <convene/cli/run_sessions.hpp>
#include <convene/cli/signals.hpp>
#include <convene/protocol/json_text.hpp>
#include <convene/runtime/documents.hpp>
#include <convene/runtime/scenario.hpp>
#include <convene/runtime/trace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
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

/// The sessions that have been started, for a signal to cancel.
class started_sessions {
public:
  /// Starts one, unless a signal said to stop. False: it did.
  bool start(convene::runtime& runtime, session::spec scenario,
             convene::start_options how) {
    const std::lock_guard held{mutex_};
    if (cancelled_)
      return false;
    handles_.push_back(runtime.start(std::move(scenario), std::move(how)));
    return true;
  }

  void cancel_all() {
    const std::lock_guard held{mutex_};
    cancelled_ = true;
    for (const auto& session : handles_)
      session.cancel("interrupted");
  }

  /// Only for the thread that starts sessions.
  [[nodiscard]] const std::vector<session_handle>& handles() const {
    return handles_;
  }

private:
  std::mutex mutex_;
  bool cancelled_ = false;
  std::vector<session_handle> handles_;
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
  ++(ended.status == collab_status::completed ? tally.completed
                                              : tally.cancelled);
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
  return {};
}

} // namespace

protocol::result<session_tally> run_sessions(const session_order& order,
                                             const host::output_folder& out,
                                             protocol::uuid_source& ids) {
  const auto begin = steady_clock::now();
  // Goes last: no signal may reach a session whose runtime is gone. Comes to
  // life after the signals are blocked, so that its threads leave them alone.
  std::unique_ptr<convene::runtime> runtime;
  started_sessions sessions;
  const signal_watch signals{[&sessions] { sessions.cancel_all(); }};
  auto opened = convene::runtime::open(order.runtime);
  if (!opened)
    return protocol::fail(std::move(opened).error());
  runtime = std::move(*opened);

  std::vector<std::shared_ptr<session_watch>> watches;
  for (std::uint32_t i = 0; i < order.instances; ++i) {
    auto watch = std::make_shared<session_watch>();
    if (order.show_timeline && order.instances == 1)
      watch->shown.emplace(order.style);
    convene::start_options how{
      .observer = [watch](std::string_view, std::string_view lines) {
        watch->see(lines);
      }};
    if (!sessions.start(*runtime,
                        i == 0 ? order.scenario
                               : host::another(order.scenario, i, ids),
                        std::move(how)))
      break;
    watches.push_back(std::move(watch));
  }

  session_tally tally;
  progress_line progress{order.show_progress && order.instances > 1};
  for (std::size_t i = 0; i < watches.size(); ++i) {
    auto ended = await(sessions.handles()[i], progress, i, watches.size());
    if (!ended) {
      ++tally.failed;
      if (!tally.first_error)
        tally.first_error = std::move(ended).error();
    } else if (auto kept = count(*ended, *watches[i], *runtime, out, tally);
               !kept) {
      return protocol::fail(std::move(kept).error());
    }
    watches[i].reset(); // what it collected is written
  }
  if (auto closed = runtime->close(); !closed)
    return protocol::fail(std::move(closed).error());
  tally.signal = signals.caught();
  tally.duration_ms
    = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin)
        .count();
  return tally;
}

} // namespace convene::cli
