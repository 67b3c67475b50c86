#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/cli/sessions/standing_documents.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/data/scenario/latest_time.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
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

using protocol::kept_documents;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Sees one session's events, on whatever thread; the runtime never calls it
/// from two at a time.
struct session_watch {
  std::optional<host::trace_builder> trace;     ///< unless nothing needs it
  std::optional<host::session_samples> samples; ///< unless they go nowhere
  std::optional<protocol::error> samples_fault; ///< why they went nowhere
  std::shared_ptr<session_screen> screen;       ///< may be null

  void see(std::string_view session, std::string_view lines) {
    if (trace)
      trace->add(lines);
    if (samples)
      collect(lines);
    if (screen)
      screen->see(std::string{session}, lines);
  }

  [[nodiscard]] host::turn_failures failures() const {
    return trace ? trace->failures() : host::turn_failures{};
  }

  /// What goes wrong with samples never fails a run.
  void collect(std::string_view lines) {
    const auto thrown = actors::catch_error([&] { samples->feed(lines); });
    if (!thrown)
      return;
    samples.reset();
    samples_fault = protocol::error{.code = protocol::errc::internal,
                                    .message = "a session's samples cannot be "
                                               "collected: "
                                               + *thrown,
                                    .rule = "learning_sample"};
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

/// Waits for the session's end, and shows what changes until then: on `screen`,
/// which may be null, and how many others have ended.
result<session_result> await(const session_handle& session,
                             session_screen* screen, progress_line& progress,
                             std::size_t ended, std::size_t all) {
  const milliseconds between{screen != nullptr ? 100 : 200};
  for (;;) {
    if (auto outcome = session.await_for(between))
      return std::move(*outcome);
    if (screen != nullptr)
      screen->refresh();
    progress.show({.done = ended, .all = all, .unit = "sessions"});
  }
}

/// Writes the documents of a session that has ended, before its result tells
/// of it also into the store. Returns its result.
protocol::result<protocol::json::object>
write_documents(const session_result& ended, session_watch& watch,
                convene::runtime& runtime, const session_order& order,
                const host::output_folder& out) {
  const auto documents = host::make_documents(ended, *watch.trace);
  if (auto valid = runtime.check_documents(documents); !valid)
    return protocol::fail(std::move(valid).error());
  if (order.store)
    order.store->put(documents,
                     order.scenario ? order.scenario->roles
                                    : std::vector<protocol::role>{},
                     order.of_agent ? host::session_owner::agent
                                    : host::session_owner::itself);
  return out.write_session(documents);
}

/// Whether the session has not failed, but was kept from going on.
bool is_left_alone(const protocol::error& why) {
  return why.rule == "session_suspended" || why.rule == "runtime_closing";
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
    : order_(order), out_(out), documents_(order.settings.documents),
      is_trimmed_(host::is_trimmed(out.log())) {}

  /// Opens the log, with what is on it already.
  protocol::result<std::unique_ptr<convene::runtime>> open() {
    std::map<std::string, std::shared_ptr<session_watch>> watches;
    const convene::recovery_options with{
      .observe =
        [&](const std::string& id) {
          return observer_of(watches[id] = new_watch());
        },
      .wants_ended =
        [this](const std::string& id) {
          const bool wanted = documents_ != kept_documents::none
                              && (!out_.has_result(id) || is_to_store(id));
          if (wanted)
            ended_before_.insert(id);
          return wanted;
        },
      .resume_suspended = true,
      .known_ended = order_.accept_loss ? std::vector<std::string>{}
                                        : out_.sessions_with_result(),
      .accept_loss = order_.accept_loss};
    auto how = order_.runtime;
    how.log = out_.log();
    how.work_folder = out_.path() / "work";
    // What is virtual need not be behind the documents.
    if (how.seed && order_.scenario)
      how.virtual_start = std::max(how.virtual_start,
                                   host::latest_time(*order_.scenario));
    auto opened = convene::runtime::open(how, with);
    if (!opened)
      return opened;
    const auto& found = (*opened)->recovered();
    for (const auto& handle : found.sessions) {
      remove_standing(out_, handle.id());
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
    for (std::uint32_t i = 0;
         i < order_.settings.instances && !stop.has_happened(); ++i) {
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
      auto& handle = all_[i].handle;
      auto& watch = all_[i].watch;
      auto ended = await(handle, order_.screen.get(), progress, i, all_.size());
      if (!ended && is_left_alone(ended.error())) {
        tally.suspended += ended.error().rule == "session_suspended" ? 1 : 0;
        if (const auto so_far = handle.left();
            so_far && documents_ != kept_documents::none)
          if (auto kept = write_standing(*so_far, *watch->trace, runtime, out_);
              !kept)
            tally.failed.emplace_back(handle.id(), std::move(kept).error());
      } else if (!ended) {
        tally.failed.emplace_back(handle.id(), std::move(ended).error());
      } else if (ended_before_.contains(handle.id())
                 && !wants_documents(*ended)) {
        --tally.found; // only to see that it has nothing left to write
      } else if (auto kept = is_written(runtime).and_then(
                   [&] { return count(*ended, *watch, runtime, tally); });
                 !kept) {
        runtime.suspend_all("stopped: " + kept.error().message);
        tally.failed.emplace_back(handle.id(), std::move(kept).error());
      }
      watch.reset(); // what it collected is written
    }
    if (order_.screen)
      order_.screen->end();
  }

private:
  /// Whether a session that has ended is missing in the store.
  [[nodiscard]] bool is_to_store(const std::string& id) const {
    return order_.store && !order_.store->has(id) && !order_.store->failure();
  }

  /// Whether the log has the end that is about to be told: without durability
  /// the writer may still hold it, and a kill would lose it.
  protocol::result<void> is_written(convene::runtime& runtime) const {
    return order_.runtime.durability == durability::none
             ? runtime.flush()
             : protocol::result<void>{};
  }

  [[nodiscard]] bool wants_documents(const session_result& ended) const {
    return documents_ == kept_documents::ended
           || (documents_ == kept_documents::failed
               && ended.status != collab_status::completed);
  }

  protocol::result<void> count(const session_result& ended,
                               session_watch& watch, convene::runtime& runtime,
                               session_tally& tally) const {
    if (watch.samples)
      order_.learning->put(*watch.samples);
    else if (watch.samples_fault)
      order_.learning->give_up(*std::move(watch.samples_fault));
    protocol::json::object result;
    if (!wants_documents(ended)) {
      result = host::make_summary(ended, watch.failures());
    } else {
      auto written = write_documents(ended, watch, runtime, order_, out_);
      if (!written)
        return protocol::fail(std::move(written).error());
      result = std::move(*written);
    }
    if (order_.settings.instances > 1) // there may be many
      result = {{"session_id", result.at("session_id")},
                {"status", result.at("status")}};
    tally.results.push_back(std::move(result));
    tally.totals.add(ended, watch.trace ? &watch.trace->failures() : nullptr);
    if (order_.fails_on_turns)
      tally.fatal_turns += watch.failures().total();
    ++(ended.status == collab_status::completed ? tally.completed
                                                : tally.cancelled);
    return {};
  }

  std::shared_ptr<session_watch> new_watch() const {
    auto watch = std::make_shared<session_watch>();
    // Otherwise of many sessions, whose failures nothing needs.
    if (documents_ != kept_documents::none || order_.fails_on_turns
        || order_.settings.instances == 1)
      watch->trace.emplace();
    if (order_.learning)
      watch->samples = order_.learning->collector();
    watch->screen = order_.screen;
    return watch;
  }

  static convene::observer
  observer_of(const std::shared_ptr<session_watch>& watch) {
    return [watch](std::string_view session, std::string_view lines) {
      watch->see(session, lines);
    };
  }

  const session_order& order_;
  const host::output_folder& out_;
  const kept_documents documents_;
  std::vector<running_session> all_;
  const bool is_trimmed_;
  std::unordered_set<std::string> on_log_;
  std::unordered_set<std::string> ended_before_; ///< and have no result.json
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
                      .bytes_cut = runtime->recovered().bytes_cut,
                      .has_documents = order.settings.documents
                                       != kept_documents::none};
  all.start(*runtime, stop, tally);
  all.finish(*runtime, tally);
  if (auto closed = runtime->close(); !closed)
    return protocol::fail(std::move(closed).error());
  if (order.store) {
    order.store->put_events(out.log());
    tally.store_failure = order.store->failure();
  }
  if (order.learning)
    tally.learning = order.learning->tally();
  tally.signal = signals.caught();
  tally.duration_ms
    = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin)
        .count();
  return tally;
}

} // namespace convene::cli
