#include <boost/json/serialize.hpp>
#include <convene/lab/mock_model/answer_form.hpp>
#include <convene/lab/mock_model/answer_parts.hpp>
#include <convene/lab/mock_model/dialect_form.hpp>
#include <convene/lab/mock_model/tokens.hpp>

#include <utility>

namespace convene::host::mock {
namespace {

namespace json = boost::json;

constexpr std::string_view made_at = "2026-01-01T00:00:00Z"; // created_s

std::string openai_whole(const asked_for& by, const answer& what) {
  const bool refuses = what.ends == finish::refusal;
  const json::value text = what.text.empty() && !what.tools.empty()
                             ? json::value(nullptr)
                             : json::value(what.text);
  json::object message{{"role", "assistant"},
                       {"content", refuses ? json::value(nullptr) : text},
                       {"refusal", refuses ? text : json::value(nullptr)}};
  if (!what.tools.empty()) {
    json::array calls;
    for (std::size_t at = 0; at < what.tools.size(); ++at) {
      auto call = openai_call(what, at,
                              json::serialize(what.tools[at].arguments));
      shape_call(by.speaks, call, what, at, 0);
      calls.push_back(std::move(call));
    }
    message["tool_calls"] = std::move(calls);
  }
  shape_message(by.speaks, message, what);
  auto body = openai_base(by, what, "chat.completion");
  body["choices"] = json::array{
    json::object{{"index", 0},
                 {"message", std::move(message)},
                 {"logprobs", nullptr},
                 {"finish_reason", finish_word(by.speaks, what.ends)}}};
  add_usage(by.speaks, body, openai_usage(by, what));
  return json::serialize(body);
}

std::string anthropic_whole(const asked_for& by, const answer& what) {
  json::array content;
  if (!what.text.empty() || what.tools.empty()) {
    content.push_back(anthropic_block(what, nullptr, 0));
    content.back().as_object()["text"] = what.text;
  }
  for (const auto& call : what.tools) {
    content.push_back(anthropic_block(what, &call, content.size()));
    content.back().as_object()["input"] = call.arguments;
  }
  return json::serialize(anthropic_message(by, what, std::move(content), true));
}

std::string_view openai_error_type(unsigned status) {
  if (status == 429)
    return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

std::string_view anthropic_error_type(unsigned status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return "api_error";
  }
}

} // namespace

std::string whole_body(const asked_for& by, const answer& what) {
  return by.form == wire_form::openai ? openai_whole(by, what)
                                      : anthropic_whole(by, what);
}

answer_events::answer_events(asked_for by, answer what)
  : by_{std::move(by)}, what_{std::move(what)} {
  using kind = stream_step::kind;
  if (!what_.text.empty() || what_.tools.empty())
    blocks_.push_back({nullptr, what_.text});
  for (const auto& one : what_.tools)
    blocks_.push_back({&one, json::serialize(one.arguments)});
  steps_.push_back({});
  for (std::uint32_t at = 0; at < blocks_.size(); ++at) {
    steps_.push_back({.what = kind::block_start, .block = at});
    const auto& text = blocks_[at].text;
    const auto starts = token_starts(text);
    for (std::size_t piece = 0; piece < starts.size(); ++piece) {
      const auto end = piece + 1 < starts.size()
                         ? starts[piece + 1]
                         : static_cast<std::uint32_t>(text.size());
      steps_.push_back({kind::piece, at, starts[piece], end - starts[piece]});
    }
    steps_.push_back({.what = kind::block_stop, .block = at});
  }
  steps_.push_back({.what = kind::end});
}

std::string answer_events::bytes(const stream_step& at) const {
  return by_.form == wire_form::openai ? openai_bytes(at) : anthropic_bytes(at);
}

std::string error_body(wire_form form, unsigned status,
                       std::string_view message, std::string_view code) {
  if (form == wire_form::anthropic)
    return json::serialize(json::object{
      {"type", "error"},
      {"error",
       {{"type", anthropic_error_type(status)}, {"message", message}}}});
  return json::serialize(json::object{
    {"error",
     {{"message", message},
      {"type", openai_error_type(status)},
      {"param", nullptr},
      {"code", code.empty() ? json::value(nullptr) : json::value(code)}}}});
}

json::object model_entry(wire_form form, std::string_view name) {
  if (form == wire_form::openai)
    return {{"id", name},
            {"object", "model"},
            {"created", created_s},
            {"owned_by", "convene"}};
  return {{"type", "model"},
          {"id", name},
          {"display_name", name},
          {"created_at", made_at}};
}

json::object model_list(wire_form form, const std::vector<std::string>& names) {
  json::array entries;
  for (const auto& one : names)
    entries.push_back(model_entry(form, one));
  if (form == wire_form::openai)
    return {{"object", "list"}, {"data", std::move(entries)}};
  const auto first = names.empty() ? json::value(nullptr)
                                   : json::value(names.front());
  const auto last = names.empty() ? json::value(nullptr)
                                  : json::value(names.back());
  return {{"data", std::move(entries)},
          {"has_more", false},
          {"first_id", first},
          {"last_id", last}};
}

} // namespace convene::host::mock
