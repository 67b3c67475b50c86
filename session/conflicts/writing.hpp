#pragma once

#include <convene/session/requests/request.hpp>

#include <cstdint>

namespace convene::session {

/// The writer and its permission.
struct writing {
  participant_index who = no_participant;
  std::uint32_t turn_number = 0;
  protocol::uuid token;
  step_index step = no_step; ///< that the request is about
  bool allowed = false;      ///< the token gives the right to write
  bool input = false;        ///< an input of its own, not part of a reply
  const protocol::claim* claim = nullptr; ///< the input is this, not a write
};

[[nodiscard]] inline resource_name
name_of(const protocol::resource_write& what) noexcept {
  return {what.resource_type, what.resource_id};
}
[[nodiscard]] inline resource_name
name_of(const protocol::claim& what) noexcept {
  return {what.resource_type, what.resource_id};
}

} // namespace convene::session
