#pragma once

#include <convene/runtime/outside/participants/a2a_settings.hpp>
#include <convene/runtime/outside/participants/a2a_surroundings.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>

#include <memory>
#include <string>

namespace convene::host {

class a2a_remote;

/// A participant that a remote agent answers for, by A2A 1.0
/// (docs/agents/a2a.md): each turn is a message (a2a_message.hpp). To send it
/// is an action of kind http at "1.0", to wait for a task that the agent makes
/// of it one at "1.1". A turn that is over cancels its task. If a session is
/// suspended meanwhile, a repeatable turn sends another message when it is
/// taken up, at "2.0" and so on.
class a2a_behaviour final : public late_behaviour {
public:
  a2a_behaviour(a2a_settings settings, a2a_surroundings with);

  void begin(actors::turn_request asked) override;

private:
  std::shared_ptr<a2a_remote> agent_;
  std::string provider_; ///< the origin of the card
};

} // namespace convene::host
