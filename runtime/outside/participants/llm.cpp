#include <convene/runtime/outside/participants/llm.hpp>
#include <convene/runtime/outside/participants/llm_turn.hpp>

#include <utility>

namespace convene::host {

llm_behaviour::llm_behaviour(llm_settings settings, llm_surroundings with)
  : settings_(std::make_shared<const llm_settings>(std::move(settings))),
    with_(std::make_shared<const llm_surroundings>(std::move(with))) {
  // nop
}

void llm_behaviour::begin(actors::turn_request asked) {
  auto port = port_of(asked.live);
  begin(std::move(asked), std::move(port));
}

void llm_behaviour::begin(actors::turn_request asked, turn_port port) const {
  std::make_shared<llm_turn>(settings_, with_, std::move(asked),
                             std::move(port))
    ->start();
}

} // namespace convene::host
