// Orchestrated: one participant is asked at the start and after each turn what
// happens next, and what it decides is done. Several turns may be open; a turn
// that closes while it is being asked has it asked once more.

#include <convene/session/routing/policy.hpp>

#include <algorithm>
#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

/// Whether carrying this out leaves no room for asking again.
bool occupies(const decision& what, participant_index orchestrator) {
  const auto* turn = std::get_if<dispatch>(&what);
  return std::holds_alternative<session::broadcast>(what)
         || (turn != nullptr && turn->participant == orchestrator);
}

/// Whether there is something to tell: a turn that is handed on goes on.
bool has_news(const view& now) {
  return now.occasion == occasion::broadcast_closed
         || now.occasion == occasion::steps_changed
         || (now.occasion == occasion::turn_closed
             && now.closed.status != turn_status::handed_off);
}

/// What it decided, and a question to it that was owed if that leaves room.
ruling as_decided(const view& now, bool busy, bool owed) {
  ruling all{{now.decided.begin(), now.decided.end()}, owed};
  const bool free = !busy && std::ranges::none_of(now.decided, [&](auto& each) {
    return occupies(each, now.orchestrator);
  });
  if (owed && free) {
    all.decisions.emplace_back(consult{});
    all.memory = false;
  }
  return all;
}

/// The memory says whether it has to be asked again.
ruling decide(const view& now, memory kept) {
  const bool owed = kept.is_bool() && kept.get_bool();
  const bool busy = now.participants[now.orchestrator].busy;
  if (now.occasion == occasion::decided)
    return as_decided(now, busy, owed);
  if (busy)
    return {{}, owed || has_news(now)};
  if (now.busy > 0 && !owed && !has_news(now))
    return {{}, false};
  return only(consult{}, false);
}

} // namespace

extern const routing_policy orchestrated{
  .name = "orchestrated",
  .summary = "an orchestrator decides who acts next",
  .needs_orchestrator = true,
  .decide = decide};

} // namespace convene::modes
