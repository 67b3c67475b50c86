#pragma once

#include <convene/server/metrics/work_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What logs and queues have to do. One thread at a time.
class work_numbers {
public:
  explicit work_numbers(prometheus::Registry& registry);

  void show(const work_counts& now);

private:
  /// Of one log.
  struct log_numbers {
    prometheus::Counter& bytes;
    prometheus::Gauge& waiting;

    void show(const host::log_counts& now);
  };

  prometheus::Family<prometheus::Counter>& bytes_;
  prometheus::Family<prometheus::Gauge>& waiting_;
  prometheus::Family<prometheus::Gauge>& jobs_;
  log_numbers sessions_;
  log_numbers runs_;
  prometheus::Gauge& participant_jobs_;
  prometheus::Gauge& session_jobs_;
  prometheus::Gauge& run_jobs_;
};

} // namespace convene::server
