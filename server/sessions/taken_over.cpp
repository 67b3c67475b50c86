// The sessions that a host takes from other nodes of a cluster, and those that
// they take from it.

#include <convene/runtime/data/cluster/shared_sessions.hpp>
#include <convene/runtime/taken_sessions.hpp>
#include <convene/server/sessions/session_host.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <string>
#include <utility>

namespace convene::server {

/// Of lost sessions, in the diagnostic log.
static constexpr std::size_t shown_max = 5;

using protocol::fail;
using protocol::result;

recovery_options session_host::recovery_how() const {
  recovery_options with;
  with.functions = how_.functions;
  with.conditions = how_.conditions;
  with.observe = [counts = counts_](const std::string&) {
    return counts::observer_for(counts);
  };
  return with;
}

/// What is on the own log and has not ended belongs to some node: this one,
/// once it has taken it.
void session_host::begin_in_cluster() {
  for (const auto& id : runtime_->recovered().on_log)
    if (const auto row = feed_->sessions().find(id); row && !row->ended) {
      feed_->sessions().let_go(id);
      questions_->let_go(id);
    }
  how_.cluster->begin(
    {.runs = [this](const auto& id) { return host::runs(*runtime_, id); },
     .flush = [this] { return runtime_->flush(); },
     .continues = [this](const auto& it) { return continue_taken(it); },
     .lost = [this](const auto& sessions) { lose(sessions); },
     .report = [](std::string_view what) { spdlog::warn("{}", what); }});
}

/// False: it cannot be resumed here. It stays this node's, which tells why
/// (`fault_of`): other nodes would most likely pass it around.
result<bool> session_host::continue_taken(const host::session_to_continue& it) {
  host::taken_session from{
    .id = it.id, .known = std::nullopt, .lines = it.lines, .blob = {}};
  if (!it.is_new)
    from.known = it.known;
  from.blob = [&it](const protocol::blob& which) {
    return it.blob(which.sha256);
  };
  counts_->forget(it.id);
  feed_->sessions().take_back(it.id);
  const auto taken = host::take_over(*runtime_, from, recovery_how());
  if (!taken) {
    if (taken.error().rule != host::session_on_log)
      feed_->sessions().let_go(it.id);
    return fail(taken.error());
  }
  const auto outcome = taken->await_for(std::chrono::milliseconds{0});
  add_started(*taken);
  if (outcome && !*outcome) {
    spdlog::warn("session {}: taken over, and cannot be resumed here: {}",
                 it.id, to_string(outcome->error()));
    return false;
  }
  spdlog::info("session {}: taken over, with {} events", it.id,
               counts_->of(it.id));
  return true;
}

/// Also on the log's thread.
void session_host::lose(const std::vector<std::string>& sessions) {
  for (const auto& id : sessions)
    feed_->sessions().let_go(id);
  host::let_go(*runtime_, sessions);
  {
    const std::lock_guard held{mutex_};
    for (const auto& id : sessions)
      handles_.erase(id);
  }
  feed_->run_in_turn([this, sessions] {
    std::string first;
    std::size_t count = 0;
    for (const auto& id : sessions) {
      if (!feed_->sessions().is_elsewhere(id))
        continue;
      counts_->forget(id);
      questions_->let_go(id);
      feed_->sessions().call_waiters(id);
      if (++count <= shown_max)
        first.append(count == 1 ? "" : ", ").append(id);
    }
    if (count == 1)
      spdlog::warn("session {}: another node of the cluster has it", first);
    else if (count != 0)
      spdlog::warn("{} sessions: other nodes of the cluster have them: {}{}",
                   count, first, count > shown_max ? ", ..." : "");
  });
}

} // namespace convene::server
