#include <boost/json/serialize.hpp>
#include <convene/lab/mock_model/answer_parts.hpp>
#include <fmt/format.h>

#include <utility>

// Anthropic's messages.

namespace convene::host::mock {

namespace json = boost::json;

std::string_view anthropic_finish(finish why) {
  switch (why) {
    case finish::length:
      return "max_tokens";
    case finish::tools:
      return "tool_use";
    case finish::refusal:
    case finish::content_filter:
      return "refusal";
    case finish::stop:
      break;
  }
  return "end_turn";
}

json::object anthropic_message(const asked_for& by, const answer& what,
                               json::array content, bool is_whole) {
  return {{"id", "msg_" + what.id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", by.model},
          {"content", std::move(content)},
          {"stop_reason",
           is_whole ? json::value(anthropic_finish(what.ends)) : nullptr},
          {"stop_sequence", nullptr},
          {"usage",
           {{"input_tokens", by.prompt_tokens},
            {"output_tokens", is_whole ? what.tokens : 1}}}};
}

json::object anthropic_block(const answer& what, const tool_call* call,
                             std::size_t number) {
  if (call == nullptr)
    return {{"type", "text"}, {"text", ""}};
  return {{"type", "tool_use"},
          {"id", fmt::format("toolu_{}_{}", what.id, number)},
          {"name", call->name},
          {"input", json::object{}}};
}

namespace {

std::string named_event(std::string_view type, json::object members) {
  json::object what{{"type", type}};
  for (auto& one : members)
    what[one.key()] = std::move(one.value());
  return fmt::format("event: {}\ndata: {}\n\n", type, json::serialize(what));
}

} // namespace

std::string answer_events::anthropic_bytes(const stream_step& at) const {
  using kind = stream_step::kind;
  switch (at.what) {
    case kind::start:
      return named_event("message_start",
                         {{"message",
                           anthropic_message(by_, what_, {}, false)}})
             + named_event("ping", {});
    case kind::block_start:
      return named_event(
        "content_block_start",
        {{"index", at.block},
         {"content_block",
          anthropic_block(what_, blocks_[at.block].call, at.block)}});
    case kind::piece: {
      const auto& from = blocks_[at.block];
      const auto piece = from.text.substr(at.from, at.size);
      const json::object delta = from.call == nullptr
                                   ? json::object{{"type", "text_delta"},
                                                  {"text", piece}}
                                   : json::object{{"type", "input_json_delta"},
                                                  {"partial_json", piece}};
      return named_event("content_block_delta",
                         {{"index", at.block}, {"delta", delta}});
    }
    case kind::block_stop:
      return named_event("content_block_stop", {{"index", at.block}});
    case kind::end:
      break;
  }
  return named_event("message_delta",
                     {{"delta",
                       {{"stop_reason", anthropic_finish(what_.ends)},
                        {"stop_sequence", nullptr}}},
                      {"usage", json::object{{"output_tokens", what_.tokens}}}})
         + named_event("message_stop", {});
}

} // namespace convene::host::mock
