// What receives a runtime's events beside its log: functions, and the store.

#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/engine.hpp>

#include <utility>

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

observer runtime::implementation::archived(convene::observer watch) {
  if (!archive)
    return watch;
  return [&into = *archive, watch = std::move(watch)](std::string_view id,
                                                      std::string_view lines) {
    into.see(id, lines);
    if (watch)
      watch(id, lines);
  };
}

recovery_options
runtime::implementation::archived(const recovery_options& with) {
  auto made = with;
  if (archive)
    made.observe = [this, &with](const std::string& id) {
      return archived(with.observe ? with.observe(id) : observer{});
    };
  return made;
}

void runtime::implementation::close_sinks() {
  const std::lock_guard held{closing_sinks};
  for (auto& each : sinks)
    each.join();
}

} // namespace convene
