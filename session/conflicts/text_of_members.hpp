#pragma once

#include <convene/protocol/events/event_encoder.hpp>

namespace convene::session {

/// What `describe` shows of a value, as the text of a JSON object.
template <class T>
[[nodiscard]] protocol::byte_buffer text_of_members(const T& what) {
  protocol::byte_buffer made;
  {
    protocol::json_writer out{made};
    protocol::event_encoder{out}.members([&](auto& v) { describe(v, what); });
  }
  return made;
}

} // namespace convene::session
