#include <boost/json/array.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/request_hint.hpp>
#include <convene/runtime/outside/models/request_shape.hpp>

#include <algorithm>
#include <array>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// A member of a request, the words that errors have for it, what to set.
struct changeable {
  std::string_view member;
  std::array<std::string_view, 4> words; ///< lower case
  std::string_view advice;
  bool even_if_absent = false;
};

/// The most specific first.
constexpr std::array<changeable, 9> changeables{{
  {"stream_options",
   {"stream_options", "include_usage"},
   R"(set "stream_options": false)"},
  {"response_format",
   {"response_format", "json_schema", "json_object", "structured output"},
   R"(set "response_format" to "json_object" or "none")"},
  {"reasoning_effort",
   {"reasoning_effort", "reasoning.effort"},
   R"(set "reasoning_effort" to a value that the model accepts, such as "none", or leave it out)",
   true},
  {"parallel_tool_calls",
   {"parallel_tool_calls"},
   R"(leave out "parallel_tool_calls")"},
  {"temperature", {"temperature"}, R"(leave out "temperature")"},
  {"top_p", {"top_p"}, R"(leave out "top_p")"},
  {"tools",
   {"tools", "tool", "functions", "function"},
   R"(set "reply": "json" for a model without tools)"},
  {"tools",
   {"tool_choice", "tool_calls", "function_call", "tool_use"},
   R"(set "reply": "json" for a model without tools)"},
  {"stream", {"stream", "streaming"}, R"(set "stream": false)"},
}};

/// Of every request; others without a setting come from `extra_body`.
constexpr std::array<std::string_view, 6> own_members{"model",       "messages",
                                                      "system",      "tools",
                                                      "tool_choice", "stream"};

bool is_part_of_name(char c) {
  return protocol::is_alnum(c) || c == '_';
}

/// Whether a text in lower case has this word, not as a part of a longer one.
bool mentions(std::string_view text, std::string_view word) {
  if (word.empty())
    return false;
  for (auto at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part_of_name(text[at - 1]))
        && (end == text.size() || !is_part_of_name(text[end])))
      return true;
  }
  return false;
}

/// What bounds the answer has two names, and none everywhere.
std::string advice_on_limit(model_provider whose, std::string_view name) {
  if (whose == model_provider::anthropic)
    return R"(lower "max_tokens")";
  const std::string_view other = name == "max_tokens" ? "max_completion_tokens"
                                                      : "max_tokens";
  return R"(set "max_tokens_name" to ")" + std::string{other}
         + R"(" or "none", or lower "max_tokens")";
}

/// Advice for what `text`, in lower case, is about.
std::string advice_for(model_provider whose, const json::object& request,
                       std::string_view text) {
  const auto is_about = [&](const changeable& each) {
    return (each.even_if_absent || request.contains(each.member))
           && std::ranges::any_of(each.words, [&](auto word) {
                return mentions(text, word);
              });
  };
  for (const std::string_view name : {"max_tokens", "max_completion_tokens"})
    if (request.contains(name) && mentions(text, name))
      return advice_on_limit(whose, name);
  const auto* const found = std::ranges::find_if(changeables, is_about);
  if (found != changeables.end())
    return std::string{found->advice};
  for (const auto& [name, value] : request)
    if (std::ranges::find(own_members, std::string_view{name})
          == own_members.end()
        && mentions(text, name))
      return "change " + protocol::quote(name) + R"( in "extra_body")";
  return {};
}

/// Where FastAPI's first `detail` says that the fault is, below the body.
std::string_view named_place(const json::object& answer) {
  const auto* list = answer.if_contains("detail");
  if (list == nullptr)
    list = protocol::object_of(answer, "message").if_contains("detail");
  if (list == nullptr || !list->is_array() || list->get_array().empty()
      || !list->get_array().front().is_object())
    return {};
  const auto loc = protocol::texts_of(list->get_array().front().get_object(),
                                      "loc");
  return loc.size() < 2 ? std::string_view{} : loc[1];
}

/// The parameter that an error names, in OpenAI's form or in FastAPI's.
std::string_view named_parameter(const json::object& answer) {
  const auto named = protocol::text_of(protocol::object_of(answer, "error"),
                                       "param");
  return named.empty() ? named_place(answer)
                       : named.substr(0, named.find_first_of(".["));
}

} // namespace

std::string setting_hint(model_provider whose, std::string_view request,
                         int status, std::string_view answer) {
  constexpr std::array refusals{400, 404, 422};
  if (std::ranges::find(refusals, status) == refusals.end())
    return {};
  const auto sent = protocol::parse_json(request);
  if (!sent || !sent->is_object())
    return {};
  const auto& members = sent->get_object();
  std::string advice;
  if (const auto read = protocol::parse_json(answer); read && read->is_object())
    advice = advice_for(whose, members, named_parameter(read->get_object()));
  if (advice.empty()) {
    std::string lower{answer};
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    });
    advice = advice_for(whose, members, lower);
  }
  return advice.empty() ? advice : "; " + advice;
}

} // namespace convene::host
