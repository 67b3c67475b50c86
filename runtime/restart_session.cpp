// Starting a session again whose actor has failed.

#include <caf/send.hpp>
#include <convene/runtime/engine.hpp>
#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

namespace convene {
namespace {

/// What fails a session's actor twice is no accident.
constexpr int same_crashes_max = 2;
constexpr int crashes_max = 16;

/// The session as its log left it.
result<host::replayed_session>
read_again(const std::filesystem::path& log, const std::string& id,
           std::optional<host::session_snapshot> from, const error& why) {
  auto found = host::replay_session(log, id, std::move(from));
  // Before its first event there is nothing to go back to.
  if (!found)
    return tl::unexpected(
      found.error().rule == host::session_not_on_log ? why : found.error());
  auto& session = found->session;
  if (!session.bad_snapshot.empty())
    spdlog::warn("session {}: its snapshot was not used: {}", id,
                 session.bad_snapshot);
  if (session.divergence || session.ended)
    return tl::unexpected(why);
  return std::move(session);
}

} // namespace

void host::runtime_access::kill(runtime& which, const std::string& id) {
  auto& inside = *which.implementation_;
  const auto still = inside.hold_time();
  const auto state = [&] {
    const std::lock_guard held{inside.mutex};
    const auto found = inside.running.find(id);
    return found == inside.running.end() ? nullptr : found->second.lock();
  }();
  if (!state)
    return;
  const std::lock_guard held{state->mutex};
  caf::anon_send_exit(state->actor, caf::exit_reason::kill);
}

bool runtime::implementation::restart_session(
  const std::shared_ptr<session_handle::shared>& into, const error& why) {
  if (options.log.empty())
    return false;
  const auto give_up = [this, into](error because) {
    drop(into);
    into->finish(tl::unexpected(std::move(because)));
    settle();
  };
  {
    const std::lock_guard mine{into->mutex};
    into->waiting.emplace();
  }
  auto job = [this, into, why, give_up] {
    if (auto revived = revive(into, why); !revived)
      give_up(std::move(revived).error());
  };
  std::unique_lock held{mutex};
  if (closing || virtual_clock) { // then nobody else runs meanwhile
    const bool ends = closing;
    held.unlock();
    ends ? give_up(why) : job();
    return true;
  }
  std::erase_if(rescues, [](const auto& one) { return one.done->load(); });
  auto done = std::make_shared<std::atomic<bool>>(false);
  try {
    rescues.push_back({done, std::jthread{[job = std::move(job), done] {
                         job();
                         *done = true;
                       }}});
  } catch (const std::system_error&) { // no thread can be had
    held.unlock();
    give_up(why);
  }
  return true;
}

result<void> runtime::implementation::revive(
  const std::shared_ptr<session_handle::shared>& into, const error& why) {
  spdlog::error("session {}: {}; it is started again from its log", into->id,
                why.message);
  if (auto kept = sink.flush(); !kept)
    return kept;
  auto again = read_again(options.log, into->id, find_snapshot(into->id), why);
  if (!again)
    return tl::unexpected(std::move(again).error());
  into->unsaved = again->events - again->covered;
  auto left = again->standing->release();
  left.machine->pass_through(boundary_validator.gate());

  int all = 0;
  const auto same = ++into->crashes[why.value];
  for (const auto& [what, times] : into->crashes)
    all += times;
  if (all > crashes_max)
    return tl::unexpected(why);
  auto first = actors::control::verb::resume_from_log;
  const auto token = protocol::parse_uuid(why.value);
  if (same >= same_crashes_max || all >= crashes_max) {
    const bool is_answer = token && all < crashes_max;
    if (!is_answer || !into->quarantined.emplace(*token, why.message).second)
      first = actors::control::verb::fail;
  }
  auto conditions = into->conditions;
  for (auto& condition : conditions)
    condition.is_known = false;
  run(into,
      {.machine = std::move(left.machine),
       .behaviours = into->behaviours,
       .conditions = std::move(conditions),
       .outstanding = std::move(left.outstanding),
       .quarantined = into->quarantined},
      {}, first, why.message);
  return {};
}

} // namespace convene
