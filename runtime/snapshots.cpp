#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/runtime/snapshots.hpp>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::host {

using protocol::result;

namespace {

/// Gives this thread what the others leave: a snapshot can wait, and where
/// there is time to spare, as between the answers of people and models, it has
/// all of it. Where the system does not allow that, nothing is lost.
void yield_to_sessions() {
  constexpr int lowest = 19;
  const auto self = static_cast<id_t>(::syscall(SYS_gettid));
  static_cast<void>(::setpriority(PRIO_PROCESS, self, lowest));
}

} // namespace

snapshot_keeper::snapshot_keeper(std::filesystem::path log,
                                 std::function<result<void>()> flush)
  : log_(std::move(log)), flush_(std::move(flush)) {
  // nop
}

snapshot_keeper::~snapshot_keeper() {
  {
    const std::lock_guard held{mutex_};
    closing_ = true;
  }
  work_.notify_one();
  if (thread_.joinable())
    thread_.join();
}

void snapshot_keeper::push(std::shared_ptr<saved_session> what) {
  {
    const std::lock_guard held{mutex_};
    waiting_.push_back(std::move(what));
    try {
      if (!thread_.joinable())
        thread_ = std::thread{[this] { run(); }};
    } catch (const std::system_error& none) {
      // A snapshot only saves time; the next one tries again.
      spdlog::warn("no thread for snapshots: {}", none.what());
    }
  }
  work_.notify_one();
}

void snapshot_keeper::want(std::shared_ptr<saved_session> of) {
  of->has_file = true;
  if (!of->is_due.exchange(true))
    push(std::move(of));
}

void snapshot_keeper::forget(const std::shared_ptr<saved_session>& ended) {
  ended->has_ended = true;
  if (ended->has_file)
    push(ended);
}

void snapshot_keeper::run() {
  yield_to_sessions();
  std::unique_lock held{mutex_};
  while (true) {
    work_.wait(held, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty())
      return;
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next->is_due = false;
    const bool saves = !closing_;
    held.unlock();
    const auto thrown = actors::catch_error([&] {
      if (next->has_ended)
        remove_snapshot(log_, next->id);
      else if (auto saved = saves ? save(*next) : result<void>{}; !saved)
        spdlog::warn("session {}: no snapshot was made: {}", next->id,
                     to_string(saved.error()));
    });
    if (thrown)
      spdlog::warn("session {}: no snapshot was made: {}", next->id, *thrown);
    held.lock();
  }
}

result<void> snapshot_keeper::save(saved_session& which) {
  // Whoever wants a snapshot has only handed its events in.
  if (auto kept = flush_(); !kept)
    return kept;
  auto before = read_snapshot(log_, which.id);
  if (!before) {
    spdlog::warn("session {}: its snapshot is not used: {}", which.id,
                 to_string(before.error()));
    before = std::nullopt;
  }
  auto found = replay_session(log_, which.id, std::move(*before),
                              index_writing::where_possible);
  // All of its events may be in a group that is still open.
  if (!found && found.error().rule == session_not_on_log)
    return {};
  if (!found)
    return tl::unexpected(std::move(found).error());
  auto& session = found->session;
  if (!session.bad_snapshot.empty())
    spdlog::warn("session {}: its snapshot was not used: {}", which.id,
                 session.bad_snapshot);
  if (session.ended)
    return {};
  if (session.divergence)
    return protocol::fail(protocol::errc::internal,
                          session.divergence->message);
  auto state = session.standing->save();
  if (!state)
    return tl::unexpected(std::move(state).error());
  // What was read beyond that may have been written only, and not synced.
  if (auto kept = flush_(); !kept)
    return kept;
  const session_snapshot made{.session_id = which.id,
                              .events = session.events,
                              .segment = found->segment,
                              .line = found->line,
                              .last_digest = hex_digest_of(found->last_event),
                              .started = std::move(found->started),
                              .state = *std::move(state)};
  return write_snapshot(log_, made).map([&](std::size_t bytes) {
    which.bytes = bytes;
  });
}

result<void> counting_sink::append(std::string_view session_id,
                                   std::string_view lines, std::size_t count) {
  auto kept = next().append(session_id, lines, count);
  events_ += count;
  bytes_ += lines.size();
  if (kept && events_ >= every_ && bytes_ >= of_->bytes) {
    events_ = 0;
    bytes_ = 0;
    keeper_.want(of_);
  }
  return kept;
}

void sweep_snapshots(const std::filesystem::path& log,
                     const std::function<bool(const std::string&)>& runs) {
  const auto any = snapshot_path(log, to_string(protocol::uuid{}));
  if (!any)
    return;
  // A folder that cannot be read, or no further, is swept another time.
  std::error_code failed;
  std::vector<std::string> over;
  std::filesystem::directory_iterator at{any->parent_path(), failed};
  for (; !failed && at != std::filesystem::directory_iterator{};
       at.increment(failed)) {
    const auto name = at->path().filename().string();
    if (auto id = name.substr(0, name.find('.')); !runs(id))
      over.push_back(std::move(id));
  }
  const bool listed = !failed;
  for (const auto& id : over)
    remove_snapshot(log, id);
  // A kill may have left the folder alone; one with files in it stays.
  if (listed)
    std::filesystem::remove(any->parent_path(), failed);
}

} // namespace convene::host
