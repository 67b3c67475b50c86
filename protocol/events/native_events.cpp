#include <convene/protocol/events/describe_workspace_events.hpp>
#include <convene/protocol/events/event_encoder.hpp>
#include <convene/protocol/events/native_events.hpp>

#include <tuple>

namespace convene::protocol {

template <native_event Event>
void encode(byte_buffer& out, const event_head& head, const Event& event) {
  if constexpr (requires { event.steps; }) {
    // Of thousands of steps, so that what is written is not moved meanwhile.
    constexpr std::size_t bytes_of_step = 160;
    static_cast<void>(out.reserve(event.steps.size() * bytes_of_step));
  }
  write_event(out, head, event);
}

namespace {

template <class... Events>
constexpr auto encoders_of(type_list<Events...>) {
  return std::tuple<void (*)(byte_buffer&, const event_head&,
                             const Events&)...>{&encode<Events>...};
}

/// That their addresses are taken makes the encoders of all events.
[[gnu::used]] constexpr auto encoders = encoders_of(native_events{});

} // namespace
} // namespace convene::protocol
