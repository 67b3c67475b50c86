#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/models/anthropic.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <map>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;
using protocol::text_of;

class anthropic_reader final : public answer_stream {
public:
  explicit anthropic_reader(when_text then) : answer_stream(std::move(then)) {
    // nop
  }

protected:
  void take(const json::object& event) override;
  void take_whole(const json::object& from) override;
  void conclude() override;

private:
  /// A block of the content: text, a tool call, a thought, or something to be
  /// ignored.
  struct block {
    bool is_text = false;
    bool is_call = false;
    bool is_thought = false;
    tool_call call;
    json::object input; ///< complete, where no pieces of it come
    json::object thought;
    std::string text;
  };

  void take_counts(const json::object& from);
  void take_stop(const json::object& from);
  void begin_block(std::int64_t at, const json::value& content);
  void go_on(const json::object& event);
  void add_call(block& from);

  std::map<std::int64_t, block> blocks_;
};

/// Counts are totals so far, and some events leave some of them out.
void anthropic_reader::take_counts(const json::object& from) {
  if (const auto* usage = object_member(from, "usage"))
    take_usage(answer.usage, *usage);
}

void anthropic_reader::take_stop(const json::object& from) {
  take_finish(text_of(from, "stop_reason"));
  const auto* details = object_member(from, "stop_details");
  if (!details || answer.finish != finish_reason::refusal)
    return;
  const auto words = text_of(*details, "explanation");
  answer.refusal = words.empty() ? text_of(*details, "category") : words;
}

void anthropic_reader::begin_block(std::int64_t at, const json::value& what) {
  const auto* content = what.if_object();
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
  to.is_thought = type == "thinking" || type == "redacted_thinking";
  if (to.is_text) {
    to.text = text_of(*content, "text");
    add_text(to.text);
  }
  if (to.is_thought)
    to.thought = *content;
  if (to.is_call) {
    to.call = {.id = std::string{text_of(*content, "id")},
               .name = std::string{text_of(*content, "name")}};
    if (const auto* input = object_member(*content, "input"))
      to.input = *input;
  }
}

void anthropic_reader::go_on(const json::object& event) {
  const auto found = blocks_.find(whole_number(event, "index").value_or(-1));
  const auto* delta = object_member(event, "delta");
  if (found == blocks_.end() || !delta)
    return refuse("answer_invalid", "the model's answer continues a block "
                                    "that it did not begin");
  auto& to = found->second;
  const auto type = text_of(*delta, "type");
  if ((type == "text_delta" && !to.is_text)
      || (type == "input_json_delta" && to.is_text))
    return refuse("answer_invalid",
                  "a block of the model's answer changes its type");
  const auto go_on_with = [&](std::string_view name) {
    auto text = std::string{text_of(to.thought, name)};
    to.thought[name] = text.append(text_of(*delta, name));
  };
  if (type == "text_delta") {
    to.text += text_of(*delta, "text");
    add_text(text_of(*delta, "text"));
  } else if (type == "input_json_delta") {
    to.call.arguments += text_of(*delta, "partial_json");
  } else if (type == "thinking_delta" && to.is_thought) {
    go_on_with("thinking");
  } else if (type == "signature_delta" && to.is_thought) {
    go_on_with("signature");
  }
}

void anthropic_reader::take(const json::object& event) {
  const auto type = text_of(event, "type");
  if (type == "message_start") {
    if (const auto* message = object_member(event, "message"))
      take_counts(*message);
  } else if (type == "content_block_start") {
    const auto* content = event.if_contains("content_block");
    begin_block(whole_number(event, "index").value_or(-1),
                content ? *content : json::value{});
  } else if (type == "content_block_delta") {
    go_on(event);
  } else if (type == "message_delta") {
    take_counts(event);
    if (const auto* delta = object_member(event, "delta"))
      take_stop(*delta);
  } else if (type == "message_stop") {
    is_complete = true;
  } else if (type == "message" && event.contains("content")) {
    take_whole(event);
  }
}

void anthropic_reader::take_whole(const json::object& from) {
  const auto* content = from.if_contains("content");
  if (!content)
    return refuse("answer_invalid", "the model's answer has no content");
  is_complete = true;
  std::int64_t index = 0;
  for (const auto& each : array_member(from, "content"))
    begin_block(index++, each);
  if (content->is_string())
    begin_block(0, json::object{{"type", "text"},
                                {"text", content->get_string()}});
  take_counts(from);
  take_stop(from);
}

void anthropic_reader::add_call(block& from) {
  if (from.call.name.empty())
    return refuse("answer_invalid",
                  "a tool call of the model's answer has no name");
  if (answer.calls.size() == tool_calls_max)
    return refuse("tool_calls_max", "the model's answer has more than "
                                      + std::to_string(tool_calls_max)
                                      + " tool calls");
  if (from.call.arguments.empty())
    from.call.arguments = json::serialize(from.input);
  answer.calls.push_back(std::move(from.call));
}

void anthropic_reader::conclude() {
  json::array content;
  bool has_thoughts = false;
  for (auto& [index, each] : blocks_) {
    has_thoughts = has_thoughts || each.is_thought;
    if (each.is_thought)
      content.push_back(std::move(each.thought));
    else if (each.is_text && !each.text.empty())
      content.push_back(json::object{{"type", "text"}, {"text", each.text}});
    else if (each.is_call)
      content.push_back(json::object{{"type", "tool_use"}});
    if (each.is_call)
      add_call(each);
  }
  if (has_thoughts)
    answer.original["content"] = std::move(content);
}

} // namespace

std::unique_ptr<answer_stream> anthropic_stream(when_text then) {
  return std::make_unique<anthropic_reader>(std::move(then));
}

} // namespace convene::host
