#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <string>
#include <utility>

namespace convene::host {

[[nodiscard]] inline protocol::reply failed_reply(std::string code,
                                                  std::string message) {
  return {.status = protocol::reply_status::failed,
          .error = {std::move(code), std::move(message)}};
}

/// A participant that answers by `begin` alone.
class late_behaviour : public actors::behaviour {
public:
  /// Never called, as it answers later.
  actors::answer respond(const actors::turn_request&) final {
    return {.reply = failed_reply("internal", "it answers later")};
  }

  [[nodiscard]] bool answers_later() const noexcept final {
    return true;
  }
};

} // namespace convene::host
