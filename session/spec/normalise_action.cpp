#include <convene/protocol/json/json_text.hpp>
#include <convene/session/spec/normalise.hpp>
#include <convene/session/spec/normalise_action.hpp>
#include <convene/session/workspace/size.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace convene::session {
namespace {

constexpr std::size_t position_bytes_max = 64;
constexpr std::size_t name_bytes_max = 1024;

static_assert(action_bytes_max == value_bytes_max
              && action_depth_max == value_depth_max);

bool is_name(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max
         && protocol::valid_utf8(text);
}

/// Whether JSON can say it. As deep as the value, which has been measured.
bool is_sayable(const protocol::json::value& what) {
  if (const auto* number = what.if_double())
    return std::isfinite(*number);
  if (const auto* text = what.if_string())
    return protocol::valid_utf8(*text);
  if (const auto* array = what.if_array())
    return std::ranges::all_of(*array, is_sayable);
  if (const auto* object = what.if_object())
    return std::ranges::all_of(*object, [](const auto& member) {
      return protocol::valid_utf8(member.key()) && is_sayable(member.value());
    });
  return true;
}

/// Why a value is not fit for the log; empty: it is.
std::string_view why_unfit(const protocol::json::value& what,
                           std::string_view unsayable) {
  const auto size = measure(what);
  if (size.depth > action_depth_max)
    return "action_depth_max";
  if (size.bytes > action_bytes_max)
    return "action_bytes_max";
  return is_sayable(what) ? std::string_view{} : unsayable;
}

std::string message_of(std::string_view code) {
  if (code == "action_depth_max")
    return "the output nests deeper than " + std::to_string(action_depth_max);
  if (code == "action_bytes_max")
    return "the output is larger than " + std::to_string(action_bytes_max)
           + " bytes";
  return "the output has a text that is not UTF-8, or a number that is not "
         "finite";
}

} // namespace

std::string_view normalise(protocol::action& what) {
  what.timeout_ms = 0;
  what.question.clear();
  if (!is_name(what.position, position_bytes_max)
      || !is_name(what.name, name_bytes_max))
    return "invalid_action";
  return why_unfit(what.arguments, "invalid_action");
}

void normalise(protocol::action_result& what) {
  using protocol::action_status;
  auto& used = what.usage;
  for (auto* number :
       {&used.prompt_tokens, &used.completion_tokens, &used.cost_microusd})
    *number = std::max<std::int64_t>(*number, 0);
  if (what.status == action_status::completed) {
    what.error = {};
    const auto code = why_unfit(what.output, "action_output_invalid");
    if (!code.empty()) {
      what.status = action_status::failed;
      what.error = {.code = std::string{code}, .message = message_of(code)};
    }
  }
  if (what.status != action_status::completed)
    what.output = nullptr;
  normalise_reason(what.error.code);
  normalise_reason(what.error.message);
  what.error.retry_after_ms = -1;
}

} // namespace convene::session
