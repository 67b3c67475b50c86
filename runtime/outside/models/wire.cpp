#include <convene/protocol/json/json_repair.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace convene::host {

namespace json = protocol::json;

const json::array& array_member(const json::object& from,
                                std::string_view name) {
  static const json::array none;
  const auto* found = from.if_contains(name);
  const auto* items = found ? found->if_array() : nullptr;
  return items ? *items : none;
}

std::optional<std::int64_t> whole_number(const json::object& from,
                                         std::string_view name) {
  using limits = std::numeric_limits<std::int64_t>;
  if (const auto number = protocol::integer_of(from, name))
    return number;
  const auto* found = from.if_contains(name);
  if (found && found->is_uint64())
    return limits::max();
  if (!found || !found->is_double()
      || std::trunc(found->get_double()) != found->get_double())
    return std::nullopt;
  constexpr double edge = 9.2e18;
  if (std::abs(found->get_double()) > edge)
    return found->get_double() > 0 ? limits::max() : limits::min();
  return static_cast<std::int64_t>(found->get_double());
}

std::int64_t count_member(const json::object& from, std::string_view name) {
  return std::max<std::int64_t>(whole_number(from, name).value_or(0), 0);
}

tl::expected<json::object, protocol::action_error>
read_object(std::string_view text) {
  auto read = protocol::parse_json(text);
  if (!read) {
    const auto repaired = protocol::repair_json(text);
    if (auto again = protocol::parse_json(repaired.text))
      read = std::move(again);
    else if (repaired.is_cut)
      return tl::unexpected{
        protocol::action_error{.code = "answer_incomplete",
                               .message = "the model's answer is JSON that "
                                          "ends before its end",
                               .transient = true}};
  }
  if (!read)
    return tl::unexpected{invalid_answer(
      "the model's answer is not JSON: " + read.error().message + " ("
      + read.error().rule + "): " + protocol::quote(text))};
  if (auto* list = read->if_array(); list && list->size() == 1)
    read = json::value(list->front());
  if (!read->is_object())
    return tl::unexpected{
      invalid_answer("the model's answer is not a JSON object: "
                     + protocol::shorten_value(*read))};
  return std::move(read->get_object());
}

void take_usage(protocol::usage& to, const json::object& from) {
  const auto sum_of = [&](auto... names) {
    protocol::usage sum; // saturates
    for (const std::string_view name : {names...})
      sum = sum + protocol::usage{.prompt_tokens = count_member(from, name)};
    return sum.prompt_tokens;
  };
  const auto take = [](std::int64_t& count, std::int64_t first,
                       std::int64_t other) {
    if (first > 0 || other > 0)
      count = first > 0 ? first : other;
  };
  // Anthropic counts what its cache has apart.
  take(to.prompt_tokens, sum_of("prompt_tokens"),
       sum_of("input_tokens", "cache_creation_input_tokens",
              "cache_read_input_tokens"));
  take(to.completion_tokens, sum_of("completion_tokens"),
       sum_of("output_tokens"));
}

std::optional<finish_reason> known_finish(std::string_view word) {
  using enum finish_reason;
  constexpr std::array<std::pair<std::string_view, finish_reason>, 13> words{{
    {"stop", stop},
    {"end_turn", stop},
    {"stop_sequence", stop},
    {"eos_token", stop}, // TGI
    {"length", length},
    {"max_tokens", length},
    {"model_length", length}, // Mistral
    {"model_context_window_exceeded", length},
    {"tool_calls", finish_reason::tool_calls},
    {"tool_use", finish_reason::tool_calls},
    {"function_call", finish_reason::tool_calls},
    {"content_filter", content_filter},
    {"refusal", finish_reason::refusal},
  }};
  const auto* const found = std::ranges::find(
    words, word, &std::pair<std::string_view, finish_reason>::first);
  if (found == words.end())
    return std::nullopt;
  return found->second;
}

} // namespace convene::host
