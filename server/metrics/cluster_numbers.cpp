#include <convene/server/metrics/cluster_numbers.hpp>

#include <chrono>
#include <cstdint>

namespace convene::server {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

cluster_numbers::cluster_numbers(prometheus::Registry& registry)
  : events_{BuildCounter()
              .Name("convene_cluster_events_total")
              .Help("Events that this node appended to the cluster's database.")
              .Register(registry)
              .Add({})},
    taken_{BuildCounter()
             .Name("convene_cluster_takeovers_total")
             .Help("Sessions that this node took over and continued.")
             .Register(registry)
             .Add({})},
    fenced_{BuildCounter()
              .Name("convene_cluster_fenced_sessions_total")
              .Help("Sessions that other nodes took from this one.")
              .Register(registry)
              .Add({})},
    removed_{BuildCounter()
               .Name("convene_cluster_removed_total")
               .Help("Old sessions, events and blobs that this node removed "
                     "from the cluster's database.")
               .Register(registry)},
    sessions_{BuildGauge()
                .Name("convene_cluster_sessions")
                .Help("Sessions that this node owns and that have not ended.")
                .Register(registry)
                .Add({})},
    lag_{
      BuildGauge()
        .Name("convene_cluster_append_lag_seconds")
        .Help("How long events have been waiting for the cluster's database.")
        .Register(registry)
        .Add({})} {}

void cluster_numbers::show(const host::cluster_counts& now) {
  const auto raise = [](prometheus::Counter& which, std::uint64_t to) {
    which.Increment(static_cast<double>(to) - which.Value());
  };
  raise(events_, now.events);
  raise(taken_, now.taken);
  raise(fenced_, now.fenced);
  for (const auto& [what, count] : {std::pair{"sessions", now.removed_sessions},
                                    std::pair{"events", now.removed_events},
                                    std::pair{"blobs", now.removed_blobs}})
    raise(removed_.Add({{"what", what}}), count);
  sessions_.Set(static_cast<double>(now.sessions));
  lag_.Set(std::chrono::duration<double>{now.lag}.count());
}

} // namespace convene::server
