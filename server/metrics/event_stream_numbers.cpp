#include <convene/server/metrics/event_stream_numbers.hpp>

#include <chrono>
#include <string>

namespace convene::server {
namespace {

prometheus::Counter& stream_counter(prometheus::Registry& registry,
                                    const std::string& what,
                                    const std::string& help) {
  return prometheus::BuildCounter()
    .Name("convene_event_stream_" + what + "_total")
    .Help(help)
    .Register(registry)
    .Add({});
}

prometheus::Gauge& stream_gauge(prometheus::Registry& registry,
                                const std::string& what,
                                const std::string& help) {
  return prometheus::BuildGauge()
    .Name("convene_event_stream_" + what)
    .Help(help)
    .Register(registry)
    .Add({});
}

} // namespace

event_stream_numbers::event_stream_numbers(prometheus::Registry& registry)
  : published_{stream_counter(registry, "published",
                              "Events sent to the stream, repeats included.")},
    resent_{stream_counter(registry, "resent",
                           "Events that were sent to the stream again.")},
    acked_{stream_counter(registry, "acked",
                          "Events that the stream has acknowledged.")},
    duplicates_{
      stream_counter(registry, "duplicates",
                     "Acknowledged events that the stream had before.")},
    refused_{stream_counter(registry, "refused",
                            "Events that the stream did not take.")},
    shortened_{
      stream_counter(registry, "shortened",
                     "Events sent without their data, which was too long.")},
    waits_{stream_counter(
      registry, "waits",
      "How often publishing waited for acknowledgements: the spool was full.")},
    connects_{stream_counter(registry, "connects",
                             "Connections made to the stream's server.")},
    failures_{stream_counter(
      registry, "failures",
      "Connections to the stream's server that were lost or not made.")},
    lag_events_{stream_gauge(
      registry, "lag_events",
      "Events of this node that the stream has not acknowledged.")},
    lag_{stream_gauge(
      registry, "lag_seconds",
      "How long the oldest unacknowledged event has been waiting.")},
    is_connected_{
      stream_gauge(registry, "connected",
                   "1: the node is connected to the stream's server.")} {}

void event_stream_numbers::show(const event_stream_counts& now) {
  const auto raise = [](prometheus::Counter& which, std::uint64_t to) {
    which.Increment(static_cast<double>(to) - which.Value());
  };
  raise(published_, now.published);
  raise(resent_, now.resent);
  raise(acked_, now.acked);
  raise(duplicates_, now.duplicates);
  raise(refused_, now.refused);
  raise(shortened_, now.shortened);
  raise(waits_, now.waits);
  raise(connects_, now.connects);
  raise(failures_, now.failures);
  lag_events_.Set(static_cast<double>(now.lag_events));
  lag_.Set(std::chrono::duration<double>{now.lag}.count());
  is_connected_.Set(now.is_connected ? 1 : 0);
}

} // namespace convene::server
