#pragma once

#include <convene/server/peers/peer_counts.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/registry.h>

namespace convene::server {

/// What is known of requests for other nodes. One thread at a time.
class peer_numbers {
public:
  explicit peer_numbers(prometheus::Registry& registry);

  void show(const peer_counts& now);

private:
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Counter& answered_;
  prometheus::Counter& unreachable_;
  prometheus::Counter& elsewhere_;
  prometheus::Counter& cut_;
  prometheus::Counter& handshakes_refused_;
};

} // namespace convene::server
