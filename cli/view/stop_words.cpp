#include <boost/json/serialize.hpp>
#include <convene/cli/view/stop_words.hpp>
#include <fmt/format.h>

#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

/// A member as text, whatever it is; empty if it is not there.
std::string member_text(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr || found->is_null())
    return {};
  if (const auto* string = found->if_string())
    return {string->data(), string->size()};
  return json::serialize(*found);
}

} // namespace

std::string stop_words(const json::object& stop) {
  const auto condition = member_text(stop, "condition");
  const auto observed = member_text(stop, "observed");
  const auto limit = member_text(stop, "limit");
  if (condition == "rounds")
    return "all rounds done: " + observed;
  if (condition == "end_votes")
    return "everybody voted to end: " + observed;
  if (condition == "navigator_end")
    return "the navigator ended it, rounds: " + observed;
  if (condition == "plan_complete")
    return "plan complete: " + observed;
  if (condition == "orchestrator_complete")
    return "the orchestrator is done: " + observed;
  if (condition == "plan_failed")
    return "steps of the plan failed, done are " + observed;
  if (condition == "quorum_missed")
    return fmt::format("the quorum was missed: {} of the {} needed answered",
                       observed, limit);
  if (condition == "max_turns")
    return "limit reached: max_turns " + limit;
  if (condition == "max_duration")
    return "limit reached: max_duration_ms " + limit;
  return observed.empty() ? condition : condition + ": " + observed;
}

} // namespace convene::cli
