#include <convene/protocol/checks/usage_check.hpp>

namespace convene::protocol {
namespace {

usage usage_in(const json::object& from) {
  const auto& what = object_of(from, "usage");
  return {.prompt_tokens = integer_of(what, "prompt_tokens").value_or(0),
          .completion_tokens
          = integer_of(what, "completion_tokens").value_or(0),
          .cost_microusd = integer_of(what, "cost_microusd").value_or(0)};
}

} // namespace

void usage_check::feed(std::string_view type, const json::object& payload,
                       const report_finding& report) {
  if (type == "MAPSessionStarted") {
    const auto& options = object_of(object_of(payload, "spec"), "session");
    const auto& budget = object_of(options, "budget");
    tokens_ = integer_of(budget, "tokens");
    cost_microusd_ = integer_of(budget, "cost_microusd");
  } else if (type == "MAPTurnCompleted" || type == "MAPBroadcastReceived"
             || type == "session_input") {
    total_ = total_ + usage_in(object_of(payload, "reply"));
  } else if ((type == "MAPTurnDispatched" || type == "MAPBroadcastSent")
             && is_used_up()) {
    report("budget_kept", "somebody is asked although the session has used "
                            + std::to_string(total_tokens(total_))
                            + " tokens and "
                            + std::to_string(total_.cost_microusd)
                            + " micro-dollars of its budget");
  } else if (type == "MAPSessionCompleted" && usage_in(payload) != total_) {
    report("usage_matches",
           "usage is not the sum of what the replies used: "
             + std::to_string(total_tokens(total_)) + " tokens and "
             + std::to_string(total_.cost_microusd) + " micro-dollars");
  }
}

bool usage_check::is_used_up() const {
  return (tokens_ && total_tokens(total_) >= *tokens_)
         || (cost_microusd_ && total_.cost_microusd >= *cost_microusd_);
}

} // namespace convene::protocol
