#pragma once

#include <convene/runtime/data/cluster/cluster_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What a node of a cluster does. One thread at a time.
class cluster_numbers {
public:
  explicit cluster_numbers(prometheus::Registry& registry);

  void show(const host::cluster_counts& now);

private:
  prometheus::Counter& events_;
  prometheus::Counter& taken_;
  prometheus::Counter& fenced_;
  prometheus::Family<prometheus::Counter>& removed_;
  prometheus::Gauge& sessions_;
  prometheus::Gauge& lag_;
};

} // namespace convene::server
