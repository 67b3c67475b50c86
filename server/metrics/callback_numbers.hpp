#pragma once

#include <convene/server/run_callbacks/callback_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What is known of the calls that tell of the ends of runs. One thread at a
/// time.
class callback_numbers {
public:
  explicit callback_numbers(prometheus::Registry& registry);

  void show(const callback_counts& now);

private:
  prometheus::Family<prometheus::Counter>& calls_;
  prometheus::Counter& delivered_;
  prometheus::Counter& failed_;
  prometheus::Counter& given_up_;
  prometheus::Gauge& owed_;
};

} // namespace convene::server
