#include <boost/json/serialize.hpp>
#include <convene/lab/mock_model/answer_parts.hpp>
#include <convene/lab/mock_model/dialect_form.hpp>
#include <fmt/format.h>

#include <utility>

// OpenAI's chat completions.

namespace convene::host::mock {

namespace json = boost::json;

std::string_view openai_finish(finish why) {
  switch (why) {
    case finish::length:
      return "length";
    case finish::tools:
      return "tool_calls";
    case finish::content_filter:
      return "content_filter";
    default:
      return "stop";
  }
}

json::object openai_base(const asked_for& by, const answer& what,
                         std::string_view object) {
  return {{"id", "chatcmpl-" + what.id},
          {"object", object},
          {"created", created_s},
          {"model", by.model}};
}

json::object openai_usage(const asked_for& by, const answer& what) {
  return {{"prompt_tokens", by.prompt_tokens},
          {"completion_tokens", what.tokens},
          {"total_tokens", by.prompt_tokens + what.tokens}};
}

json::object openai_call(const answer& what, std::size_t number,
                         std::string arguments) {
  return {{"id", fmt::format("call_{}_{}", what.id, number)},
          {"type", "function"},
          {"function",
           {{"name", what.tools[number].name},
            {"arguments", std::move(arguments)}}}};
}

namespace {

std::string data_event(const json::object& what) {
  return "data: " + json::serialize(what) + "\n\n";
}

std::string delta_event(const asked_for& by, const answer& what,
                        json::object delta, json::value reason = nullptr) {
  auto chunk = openai_base(by, what, "chat.completion.chunk");
  chunk["choices"]
    = json::array{json::object{{"index", 0},
                               {"delta", std::move(delta)},
                               {"logprobs", nullptr},
                               {"finish_reason", std::move(reason)}}};
  return data_event(chunk);
}

/// Azure begins with what its filter says of the prompt.
std::string filter_event(const asked_for& by, const answer& what) {
  auto chunk = openai_base(by, what, "chat.completion.chunk");
  chunk["choices"] = json::array{};
  chunk["prompt_filter_results"] = json::array{};
  return data_event(chunk);
}

} // namespace

std::string answer_events::openai_bytes(const stream_step& at) const {
  using kind = stream_step::kind;
  const auto first_call = blocks_.size() - what_.tools.size();
  switch (at.what) {
    case kind::start: {
      json::object delta{{"role", "assistant"}, {"content", ""}};
      shape_beginning(by_.speaks, delta, what_);
      return (by_.speaks == dialect::azure ? filter_event(by_, what_) : "")
             + delta_event(by_, what_, std::move(delta));
    }
    case kind::block_start: {
      if (blocks_[at.block].call == nullptr)
        return {};
      const auto number = at.block - first_call;
      auto call = openai_call(what_, number,
                              sends_whole_calls(by_.speaks)
                                ? blocks_[at.block].text
                                : std::string{});
      call["index"] = number;
      shape_call(by_.speaks, call, what_, number, 0);
      return delta_event(by_, what_,
                         {{"tool_calls", json::array{std::move(call)}}});
    }
    case kind::piece: {
      const auto& from = blocks_[at.block];
      auto piece = from.text.substr(at.from, at.size);
      if (from.call == nullptr) {
        const auto* const member = what_.ends == finish::refusal ? "refusal"
                                                                 : "content";
        return delta_event(by_, what_, {{member, std::move(piece)}});
      }
      if (sends_whole_calls(by_.speaks))
        return {};
      json::object call{{"index", at.block - first_call},
                        {"function",
                         json::object{{"arguments", std::move(piece)}}}};
      shape_call(by_.speaks, call, what_, at.block - first_call, at.from + 1);
      return delta_event(by_, what_, {{"tool_calls", json::array{call}}});
    }
    case kind::block_stop:
      return {};
    case kind::end:
      break;
  }
  auto out = delta_event(by_, what_, {},
                         json::value(finish_word(by_.speaks, what_.ends)));
  if (by_.wants_usage) {
    auto chunk = openai_base(by_, what_, "chat.completion.chunk");
    chunk["choices"] = json::array{};
    add_usage(by_.speaks, chunk, openai_usage(by_, what_));
    out += data_event(chunk);
  }
  return out + "data: [DONE]\n\n";
}

} // namespace convene::host::mock
