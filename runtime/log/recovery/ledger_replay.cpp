#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/log/recovery/ledger_replay.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

using line_observer = std::function<void(std::string_view)>;

result<replayed_session> replay_whole(const log_ledger& log,
                                      const logged_session& which,
                                      const line_observer& show) {
  session_replay again{which.id};
  auto read = which.lines.visit(
    log.files(), {}, [&](const log_place& place, std::string_view text) {
      if (show)
        show(text);
      again.feed(place, text);
    });
  if (!read)
    return tl::unexpected(std::move(read).error());
  return again.finish();
}

/// `bad_snapshot` of what is returned says so if the snapshot is of no use.
result<replayed_session>
replay_from(const log_ledger& log, const logged_session& which,
            session_snapshot&& from, const line_observer& show) {
  const auto covered = std::max<std::uint64_t>(from.events, 1) - 1;
  std::string started;
  auto read = which.lines.visit(
    log.files(),
    {.count = show ? covered : std::min<std::uint64_t>(covered, 1)},
    [&](const log_place&, std::string_view text) {
      if (started.empty())
        started = text;
      if (show)
        show(text);
    });
  if (!read)
    return tl::unexpected(std::move(read).error());
  const bool differs = covered != 0 && started != from.started;
  session_replay again{which.id, std::move(from)};
  read = which.lines.visit(log.files(), {.first = covered},
                           [&](const log_place& place, std::string_view text) {
                             if (show)
                               show(text);
                             again.feed(place, text);
                           });
  if (!read)
    return tl::unexpected(std::move(read).error());
  auto made = again.finish();
  if (differs && made.bad_snapshot.empty())
    made.bad_snapshot = "the session began in another way";
  return made;
}

result<replayed_session>
replay_one(const log_ledger& log, const logged_session& which,
           std::optional<session_snapshot> from, const line_observer& show) {
  if (!from)
    return replay_whole(log, which, show);
  auto made = replay_from(log, which, *std::move(from), show);
  if (!made || made->bad_snapshot.empty())
    return made;
  auto whole = replay_whole(log, which, {});
  if (whole)
    whole->bad_snapshot = std::move(made->bad_snapshot);
  return whole;
}

/// Several threads take one session after the other.
class replay_work {
public:
  replay_work(const log_ledger& log,
              const std::vector<const logged_session*>& which,
              const replay_order& how)
    : log_(log), which_(which), how_(how), made_(which.size()) {}

  /// Takes sessions until there are no more, or one fails.
  void run() {
    for (auto i = next_++; i < which_.size(); i = next_++) {
      auto one = replay(i);
      if (one) {
        made_[i] = *std::move(one);
        continue;
      }
      next_ = which_.size();
      const std::lock_guard held{mutex_};
      if (!failed_)
        failed_ = std::move(one).error();
    }
  }

  /// Once nobody runs any more.
  result<std::vector<replayed_session>> take() {
    if (failed_)
      return protocol::fail(*std::move(failed_));
    return std::move(made_);
  }

private:
  result<replayed_session> replay(std::size_t index) const {
    const auto& which = *which_[index];
    std::optional<std::string> observer_threw;
    line_observer show;
    if (how_.show)
      show = [&](std::string_view line) {
        if (!observer_threw)
          observer_threw = actors::catch_error([&] { how_.show(index, line); });
      };
    auto made = result<replayed_session>{};
    const auto thrown = actors::catch_error([&] {
      made = replay_one(log_, which,
                        how_.snapshot ? how_.snapshot(which.id) : std::nullopt,
                        show);
    });
    if (observer_threw)
      return protocol::fail(errc::internal,
                            "an observer threw while the log was read: "
                              + *observer_threw);
    if (thrown)
      return protocol::fail(errc::internal,
                            "session " + which.id
                              + " cannot be resumed: " + *thrown);
    return made;
  }

  const log_ledger& log_;
  const std::vector<const logged_session*>& which_;
  const replay_order& how_;
  std::vector<replayed_session> made_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::optional<protocol::error> failed_; ///< guarded by mutex
};

} // namespace

result<std::vector<replayed_session>>
replay_sessions(const log_ledger& log,
                const std::vector<const logged_session*>& which,
                const replay_order& how) {
  replay_work work{log, which, how};
  {
    std::vector<std::jthread> others;
    const auto wanted = std::min(how.threads, which.size());
    try {
      while (others.size() + 1 < wanted)
        others.emplace_back([&work] { work.run(); });
    } catch (const std::system_error&) {
      // As many as the system gives: those that run do it all.
    }
    work.run();
  }
  return work.take();
}

} // namespace convene::host
