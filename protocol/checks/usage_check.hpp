#pragma once

#include <convene/protocol/checks/workspace_check.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <optional>
#include <string_view>

namespace convene::protocol {

/// The rules about what one session uses, event by event:
/// - usage_matches: MAPSessionCompleted sums up the usage of all replies
/// - budget_kept: nobody is asked once the session's budget is used up
class usage_check {
public:
  void feed(std::string_view type, const json::object& payload,
            const report_finding& report);

private:
  [[nodiscard]] bool is_used_up() const;

  usage total_;
  std::optional<std::int64_t> tokens_; ///< the budget
  std::optional<std::int64_t> cost_microusd_;
};

} // namespace convene::protocol
