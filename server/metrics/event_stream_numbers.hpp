#pragma once

#include <convene/server/metrics/event_stream_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What a node publishes. One thread at a time.
class event_stream_numbers {
public:
  explicit event_stream_numbers(prometheus::Registry& registry);

  void show(const event_stream_counts& now);

private:
  prometheus::Counter& published_;
  prometheus::Counter& resent_;
  prometheus::Counter& acked_;
  prometheus::Counter& duplicates_;
  prometheus::Counter& refused_;
  prometheus::Counter& shortened_;
  prometheus::Counter& waits_;
  prometheus::Counter& connects_;
  prometheus::Counter& failures_;
  prometheus::Gauge& lag_events_;
  prometheus::Gauge& lag_;
  prometheus::Gauge& is_connected_;
};

} // namespace convene::server
