// A participant: a behaviour that takes turns and answers questions.

#include <caf/actor_system.hpp>
#include <convene/actors/answering_actor.hpp>

#include <utility>

namespace convene::actors {
namespace {

class participant : public answering_actor {
public:
  using answering_actor::answering_actor;

protected:
  void take(const session::request& what, std::int64_t age_ms) override {
    if (what.kind == session::request_kind::decision)
      refuse(what, "no_orchestrator", "a participant decides nothing");
    else
      respond(what, age_ms);
  }
};

} // namespace

participant_actor spawn_participant(caf::actor_system& system,
                                    participant_setup setup) {
  return system.spawn<participant, caf::lazy_init>(std::move(setup));
}

} // namespace convene::actors
