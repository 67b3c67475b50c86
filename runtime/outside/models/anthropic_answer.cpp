#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/models/anthropic.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <map>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;
using protocol::text_of;

finish_reason anthropic_finish(std::string_view word) {
  if (word == "max_tokens" || word == "model_context_window_exceeded")
    return finish_reason::length;
  if (word == "tool_use")
    return finish_reason::tool_calls;
  if (word == "refusal")
    return finish_reason::refusal;
  return finish_reason::stop;
}

class anthropic_reader final : public answer_stream {
public:
  explicit anthropic_reader(when_text then) : answer_stream(std::move(then)) {
    // nop
  }

  void take_whole(const json::object& from);

protected:
  void take(std::string_view data) override;
  void conclude() override;

private:
  /// A block of the content: text, a tool call, or something to be ignored.
  struct block {
    bool is_text = false;
    bool is_call = false;
    tool_call call;
    json::object input; ///< complete, where no pieces of it come
  };

  void take_usage(const json::object& from);
  void take_stop(const json::object& from);
  void begin_block(const json::object& event);
  void go_on(const json::object& event);

  std::map<std::int64_t, block> blocks_;
};

/// Counts are totals so far, and some events leave some of them out.
void anthropic_reader::take_usage(const json::object& from) {
  const auto* usage = object_member(from, "usage");
  if (!usage)
    return;
  if (usage->contains("input_tokens")) {
    protocol::usage read; // sums of it saturate
    for (const auto* const name :
         {"input_tokens", "cache_creation_input_tokens",
          "cache_read_input_tokens"})
      read = read
             + protocol::usage{.prompt_tokens = count_member(*usage, name)};
    answer.usage.prompt_tokens = read.prompt_tokens;
  }
  if (usage->contains("output_tokens"))
    answer.usage.completion_tokens = count_member(*usage, "output_tokens");
}

void anthropic_reader::take_stop(const json::object& from) {
  if (const auto word = text_of(from, "stop_reason"); !word.empty())
    answer.finish = anthropic_finish(word);
}

void anthropic_reader::begin_block(const json::object& event) {
  const auto at = protocol::integer_of(event, "index").value_or(-1);
  const auto* content = object_member(event, "content_block");
  if (at < 0 || !content || blocks_.contains(at))
    return refuse("answer_invalid",
                  "a block of the model's answer begins in a wrong way");
  // A call, a text before it, a thought before that.
  if (blocks_.size() >= 3 * tool_calls_max)
    return refuse("tool_calls_max", "the model's answer has too many blocks");
  auto& to = blocks_[at];
  const auto type = text_of(*content, "type");
  to.is_text = type == "text";
  to.is_call = type == "tool_use";
  if (to.is_text)
    add_text(text_of(*content, "text"));
  if (to.is_call) {
    to.call = {.id = std::string{text_of(*content, "id")},
               .name = std::string{text_of(*content, "name")}};
    if (const auto* input = object_member(*content, "input"))
      to.input = *input;
  }
}

void anthropic_reader::go_on(const json::object& event) {
  const auto found
    = blocks_.find(protocol::integer_of(event, "index").value_or(-1));
  const auto* delta = object_member(event, "delta");
  if (found == blocks_.end() || !delta)
    return refuse("answer_invalid", "the model's answer goes on with a block "
                                    "that it did not begin");
  auto& to = found->second;
  const auto type = text_of(*delta, "type");
  if ((type == "text_delta" && !to.is_text)
      || (type == "input_json_delta" && to.is_text))
    return refuse("answer_invalid",
                  "a block of the model's answer changes its type");
  if (type == "text_delta")
    add_text(text_of(*delta, "text"));
  else if (type == "input_json_delta")
    to.call.arguments += text_of(*delta, "partial_json");
}

void anthropic_reader::take(std::string_view data) {
  const auto event = read_object(data);
  if (!event)
    return refuse(event.error().code, event.error().message);
  const auto type = text_of(*event, "type");
  if (type == "error") {
    const auto error = reported_error(*event);
    return error ? refuse(error->code, error->message, error->transient)
                 : refuse("provider_error", "the provider reports an error");
  }
  if (type == "message_start") {
    if (const auto* message = object_member(*event, "message"))
      take_usage(*message);
  } else if (type == "content_block_start") {
    begin_block(*event);
  } else if (type == "content_block_delta") {
    go_on(*event);
  } else if (type == "message_delta") {
    take_usage(*event);
    if (const auto* delta = object_member(*event, "delta"))
      take_stop(*delta);
  } else if (type == "message_stop") {
    is_complete = true;
  }
}

void anthropic_reader::take_whole(const json::object& from) {
  if (auto error = reported_error(from))
    return refuse(error->code, error->message, error->transient);
  if (!from.contains("content"))
    return refuse("answer_invalid", "the model's answer has no content");
  std::int64_t index = 0;
  for (const auto& each : array_member(from, "content"))
    begin_block(json::object{{"index", index++}, {"content_block", each}});
  take_usage(from);
  take_stop(from);
  is_complete = true;
}

void anthropic_reader::conclude() {
  for (auto& [index, each] : blocks_) {
    if (!each.is_call)
      continue;
    if (each.call.name.empty())
      return refuse("answer_invalid",
                    "a tool call of the model's answer has no name");
    if (answer.calls.size() == tool_calls_max)
      return refuse("tool_calls_max", "the model's answer has more than "
                                        + std::to_string(tool_calls_max)
                                        + " tool calls");
    if (each.call.arguments.empty())
      each.call.arguments = json::serialize(each.input);
    answer.calls.push_back(std::move(each.call));
  }
}

} // namespace

std::unique_ptr<answer_stream> anthropic_stream(when_text then) {
  return std::make_unique<anthropic_reader>(std::move(then));
}

answer_outcome read_anthropic_answer(std::string_view body) {
  const auto object = read_object(body);
  if (!object)
    return tl::unexpected{object.error()};
  anthropic_reader reader{{}};
  reader.take_whole(*object);
  return reader.finish();
}

} // namespace convene::host
