#include <boost/json/serialize.hpp>
#include <convene/session/story/stop_words.hpp>
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace convene::session {
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

/// What stands before the observed value, by condition.
constexpr std::pair<std::string_view, std::string_view> observed_words[]{
  {"rounds", "all rounds done: "},
  {"end_votes", "everybody voted to end: "},
  {"navigator_end", "the navigator ended it, rounds: "},
  {"plan_complete", "plan complete: "},
  {"orchestrator_complete", "the orchestrator is done: "},
  {"plan_failed", "steps of the plan failed, done are "},
};

} // namespace

std::string stop_words(const json::object& stop) {
  const auto condition = member_text(stop, "condition");
  const auto observed = member_text(stop, "observed");
  const auto limit = member_text(stop, "limit");
  if (condition == "quorum_missed")
    return fmt::format("the quorum was missed: {} of the {} needed answered",
                       observed, limit);
  if (condition == "max_turns")
    return "limit reached: max_turns " + limit;
  if (condition == "max_duration")
    return "limit reached: max_duration_ms " + limit;
  for (const auto& [name, words] : observed_words)
    if (condition == name)
      return std::string{words} + observed;
  return observed.empty() ? condition : condition + ": " + observed;
}

} // namespace convene::session
