#pragma once

#include <convene/runtime/log/event_bus/subscription.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convene::server {

/// Counts sessions, turns, conflicts and actions by their events. Not
/// thread-safe, but for what the registry's own numbers are.
class session_counts {
public:
  explicit session_counts(prometheus::Registry& registry);

  /// The types of the events that count.
  [[nodiscard]] static std::vector<std::string> event_types();

  void take(const delivery& what);

private:
  void count_event(std::string_view line);
  void count_start(const std::string& session, std::string_view mode);

  prometheus::Family<prometheus::Counter>& started_;
  prometheus::Family<prometheus::Counter>& ended_;
  prometheus::Family<prometheus::Counter>& turns_;
  prometheus::Family<prometheus::Histogram>& turn_seconds_;
  prometheus::Family<prometheus::Counter>& conflicts_;
  prometheus::Family<prometheus::Counter>& actions_;
  prometheus::Counter& tokens_;
  prometheus::Counter& missed_;
  /// Of open sessions that started here: as many as the runtime takes.
  std::unordered_map<std::string, std::string> modes_;
};

} // namespace convene::server
