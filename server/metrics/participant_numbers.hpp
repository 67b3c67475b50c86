#pragma once

#include <convene/server/participants/participant_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What is known of participants on other nodes. One thread at a time.
class participant_numbers {
public:
  explicit participant_numbers(prometheus::Registry& registry);

  void show(const participant_counts& now);

private:
  prometheus::Family<prometheus::Gauge>& links_;
  prometheus::Gauge& away_;
  prometheus::Gauge& here_;
  prometheus::Family<prometheus::Counter>& turns_;
  prometheus::Counter& answered_;
  prometheus::Counter& lost_;
  prometheus::Counter& hosted_;
  prometheus::Counter& refused_;
};

} // namespace convene::server
