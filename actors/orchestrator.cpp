// An orchestrator: a behaviour that is asked what happens next.

#include <caf/actor_system.hpp>
#include <convene/actors/answering_actor.hpp>
#include <convene/actors/orchestrator.hpp>

#include <utility>

namespace convene::actors {
namespace {

class orchestrator : public answering_actor {
public:
  using answering_actor::answering_actor;

protected:
  /// A decision or, as any participant, a turn or a question.
  void take(const session::request& what, std::int64_t age_ms) override {
    respond(what, age_ms);
  }
};

} // namespace

participant_actor spawn_orchestrator(caf::actor_system& system,
                                     participant_setup setup) {
  return system.spawn<orchestrator, caf::lazy_init>(std::move(setup));
}

} // namespace convene::actors
