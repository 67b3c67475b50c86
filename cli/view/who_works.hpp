#pragma once

#include <convene/protocol/documents/common.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// Who is at work in a session, since when and at what: from its events, in
/// their order.
class who_works {
public:
  using clock = std::chrono::steady_clock;

  void see(const protocol::json::object& event, clock::time_point now);

  [[nodiscard]] bool is_at_work(std::string_view who) const;

  struct work {
    std::string_view who;
    clock::time_point since;
    std::string_view does; ///< "model gpt-5.2"; empty: nothing outside
  };

  /// Those who have been at work for the longest time come first.
  [[nodiscard]] std::vector<work> all() const;

private:
  struct worker {
    clock::time_point since;
    std::set<std::string> requests; ///< that are open, by token or broadcast
    std::map<std::string, std::string> actions; ///< by execution_id
  };

  worker& at(std::string_view who, clock::time_point now);
  void leave_if_idle(std::string_view who);

  std::map<std::string, worker, std::less<>> workers_;
};

} // namespace convene::cli
