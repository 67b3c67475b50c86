#include <boost/json/serialize.hpp>
#include <convene/cli/view/action_words.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

namespace json = protocol::json;
using protocol::integer_of;
using protocol::object_of;
using protocol::text_of;

bool is_question(const json::object& payload) {
  return text_of(payload, "kind") == "person"
         && !protocol::approved_position(text_of(payload, "position")).empty();
}

} // namespace

std::string action_name(const json::object& payload) {
  if (is_question(payload)) {
    const auto& call = object_of(payload, "arguments");
    return fmt::format("asks {} to approve {} {}", text_of(payload, "name"),
                       text_of(call, "kind"), text_of(call, "name"));
  }
  std::string words{text_of(payload, "kind")};
  if (const auto name = text_of(payload, "name"); !name.empty())
    words.append(words.empty() ? "" : " ").append(name);
  return words;
}

std::string action_words(const json::object& payload) {
  const auto position = text_of(payload, "position");
  auto words = std::string{
    is_question(payload) ? protocol::approved_position(position) : position};
  if (const auto name = action_name(payload); !name.empty())
    words += ' ' + name;
  if (const auto attempt = integer_of(payload, "attempt").value_or(1);
      attempt > 1)
    words += fmt::format(", attempt {}", attempt);
  return words;
}

std::string usage_words(const json::object& usage) {
  const auto count = [&usage](std::string_view name) {
    return integer_of(usage, name).value_or(0);
  };
  return spent(protocol::total_tokens(
                 {.prompt_tokens = count("prompt_tokens"),
                  .completion_tokens = count("completion_tokens")}),
               count("cost_microusd"));
}

std::string result_words(const json::object& payload, const std::string& action,
                         bool whole_errors) {
  const auto& result = object_of(payload, "result");
  auto words = action
               + fmt::format(", {} ms",
                             integer_of(payload, "duration_ms").value_or(0));
  if (const auto used = usage_words(object_of(result, "usage")); !used.empty())
    words += ", " + used;
  const auto* const output = result.if_contains("output");
  if (const auto said = output == nullptr ? std::nullopt
                                          : protocol::verdict_in(*output);
      said
      && !protocol::approved_position(text_of(payload, "position")).empty()) {
    words += said->approved ? ": approved" : ": refused";
    if (!said->reason.empty())
      words += ": " + (whole_errors ? said->reason : first_line(said->reason));
    return words;
  }
  const auto& error = object_of(result, "error");
  for (const auto* said : {"message", "code"}) {
    std::string why{text_of(error, said)};
    if (!whole_errors)
      why = first_line(std::move(why));
    if (!why.empty())
      return words + ": " + why;
  }
  return words;
}

std::string arguments_of(const json::object& payload) {
  const auto* arguments = payload.if_contains("arguments");
  if (arguments == nullptr || arguments->is_null())
    return {};
  const auto* object = arguments->if_object();
  return object != nullptr && object->empty() ? ""
                                              : json::serialize(*arguments);
}

model_calls calls_of(const json::object& payload) {
  model_calls all;
  const auto& output = object_of(object_of(payload, "result"), "output");
  for (const auto& each : protocol::items_of(output, "tool_calls"))
    if (const auto* call = each.if_object())
      if (const auto name = text_of(*call, "name"); !name.empty())
        all.emplace_back(name, text_of(*call, "arguments"));
  return all;
}

std::string first_line(std::string words) {
  words.erase(0, std::min(words.find_first_not_of(" \r\n"), words.size()));
  const auto end = words.find_first_of("\r\n");
  if (end == std::string::npos)
    return words;
  return words.substr(0, end) + " …";
}

} // namespace convene::cli
