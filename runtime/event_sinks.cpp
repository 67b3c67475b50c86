// Functions that receive a runtime's events beside its log.

#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/engine.hpp>

namespace convene {

result<void> runtime::implementation::open_sinks() {
  for (auto& each : options.sinks) {
    if (!each.take)
      return protocol::fail(protocol::errc::usage,
                            "an event sink has no function `take`",
                            "event_sink");
    auto events = sink.subscribe(each.how);
    if (!events)
      return tl::unexpected(std::move(events).error());
    if (const auto threw
        = actors::catch_error([&] { sinks.emplace_back(*events, each.take); }))
      return protocol::fail(protocol::errc::limit_reached,
                            "no thread for an event sink: " + *threw,
                            "event_sink");
  }
  return {};
}

void runtime::implementation::close_sinks() {
  const std::lock_guard held{closing_sinks};
  for (auto& each : sinks)
    each.join();
}

} // namespace convene
