#pragma once

#include <convene/actors/behaviours/node_place.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/server/participants/other_nodes.hpp>
#include <convene/session/spec/spec.hpp>

#include <memory>

namespace convene::server {

class remote_seat;

/// A participant of a session here that runs on another node. It is made there
/// with its first turn, and again, maybe on another one, if that node is gone
/// or has forgotten it when the next turn begins. A turn whose node is lost
/// meanwhile fails, since what it has done there is not known.
class remote_participant final : public host::late_behaviour {
public:
  /// `settings` has the participant and its behaviour alone.
  remote_participant(std::shared_ptr<other_nodes> by, actors::node_place where,
                     session::spec settings);
  remote_participant(const remote_participant&) = delete;
  remote_participant& operator=(const remote_participant&) = delete;
  ~remote_participant() override;

  void begin(actors::turn_request asked) override;

private:
  const std::shared_ptr<remote_seat> seat_;
};

} // namespace convene::server
