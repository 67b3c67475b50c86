// Orchestrated: one participant is asked at the start and after each turn what
// happens next, and what it decides is done.

#include <convene/session/policy.hpp>

#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

ruling decide(const view& now, memory kept) {
  if (now.occasion == occasion::decided)
    return {{now.decided.begin(), now.decided.end()}, std::move(kept)};
  if (now.busy > 0)
    return {{}, std::move(kept)};
  return {{consult{}}, std::move(kept)};
}

} // namespace

extern const routing_policy orchestrated{
  .name = "orchestrated",
  .summary = "an orchestrator decides who acts next",
  .needs_orchestrator = true,
  .decide = decide};

} // namespace convene::modes
