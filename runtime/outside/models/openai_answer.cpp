#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/models/openai.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <map>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;
using protocol::text_of;

finish_reason openai_finish(std::string_view word) {
  if (word == "length")
    return finish_reason::length;
  if (word == "tool_calls" || word == "function_call")
    return finish_reason::tool_calls;
  if (word == "content_filter")
    return finish_reason::content_filter;
  return finish_reason::stop;
}

/// Chunks and whole answers differ only in the name of a choice's message.
class openai_reader final : public answer_stream {
public:
  explicit openai_reader(when_text then) : answer_stream(std::move(then)) {
    // nop
  }

  /// `part`: "delta" or "message".
  void take_object(const json::object& from, std::string_view part);

protected:
  void take(std::string_view data) override;
  void conclude() override;

  /// Some servers end without [DONE].
  [[nodiscard]] bool may_end() const override {
    return finished_;
  }

private:
  void take_message(const json::object& from);
  void take_call(const json::object& from);

  std::map<std::int64_t, tool_call> calls_;
  std::int64_t last_ = -1;
  bool finished_ = false; ///< a finish_reason came
};

void openai_reader::take(std::string_view data) {
  if (data == "[DONE]") {
    if (!finished_)
      refuse("answer_incomplete",
             "the model's answer ended without a finish_reason", true);
    is_complete = true;
    return;
  }
  const auto object = read_object(data);
  if (!object)
    return refuse(object.error().code, object.error().message);
  take_object(*object, "delta");
}

void openai_reader::take_object(const json::object& from,
                                std::string_view part) {
  if (auto error = reported_error(from))
    return refuse(error->code, error->message, error->transient);
  if (const auto* usage = object_member(from, "usage"))
    answer.usage
      = {.prompt_tokens = count_member(*usage, "prompt_tokens"),
         .completion_tokens = count_member(*usage, "completion_tokens")};
  for (const auto& each : array_member(from, "choices")) {
    const auto* choice = each.if_object();
    if (!choice || protocol::integer_of(*choice, "index").value_or(0) != 0)
      continue; // one was asked for
    if (const auto* message = object_member(*choice, part))
      take_message(*message);
    if (const auto word = text_of(*choice, "finish_reason"); !word.empty()) {
      answer.finish = openai_finish(word);
      finished_ = true;
    }
  }
}

void openai_reader::take_message(const json::object& from) {
  add_text(text_of(from, "content"));
  answer.refusal += text_of(from, "refusal");
  for (const auto& each : array_member(from, "tool_calls")) {
    const auto* call = each.if_object();
    if (!call)
      return refuse("answer_invalid", "a tool call of the model's answer is "
                                      "no object");
    take_call(*call);
  }
}

void openai_reader::take_call(const json::object& from) {
  const auto id = text_of(from, "id");
  // Some servers say no index, or always 0: then a new id is a new call.
  auto at = protocol::integer_of(from, "index")
              .value_or(id.empty() ? last_ : last_ + 1);
  if (const auto found = calls_.find(at); found != calls_.end() && !id.empty()
                                          && !found->second.id.empty()
                                          && found->second.id != id) {
    at = calls_.rbegin()->first + 1;
    for (const auto& [index, call] : calls_)
      if (call.id == id)
        at = index;
  }
  if (at < 0)
    return refuse("answer_invalid",
                  "the model's answer goes on with a tool call that it did "
                  "not begin");
  if (at >= static_cast<std::int64_t>(tool_calls_max))
    return refuse("tool_calls_max", "the model's answer has more than "
                                      + std::to_string(tool_calls_max)
                                      + " tool calls");
  last_ = at;
  auto& call = calls_[at];
  if (call.id.empty())
    call.id = id;
  const auto* function = object_member(from, "function");
  if (!function)
    return;
  // Some servers repeat the name with each piece.
  const auto name = text_of(*function, "name");
  if (call.name.empty())
    call.name = name;
  else if (!name.empty() && name != call.name)
    return refuse("answer_invalid",
                  "a tool call of the model's answer has two names: "
                    + protocol::quote(call.name) + " and "
                    + protocol::quote(name));
  if (const auto* inside = object_member(*function, "arguments"))
    call.arguments = json::serialize(*inside);
  else
    call.arguments += text_of(*function, "arguments");
}

void openai_reader::conclude() {
  for (auto& [index, call] : calls_) {
    if (call.name.empty())
      return refuse("answer_invalid",
                    "a tool call of the model's answer has no name");
    if (call.id.empty())
      call.id = "call_" + std::to_string(index);
    answer.calls.push_back(std::move(call));
  }
  if (!answer.calls.empty() && answer.finish == finish_reason::stop)
    answer.finish = finish_reason::tool_calls;
  if (!answer.refusal.empty() && answer.calls.empty())
    answer.finish = finish_reason::refusal;
}

} // namespace

std::unique_ptr<answer_stream> openai_stream(when_text then) {
  return std::make_unique<openai_reader>(std::move(then));
}

answer_outcome read_openai_answer(std::string_view body) {
  const auto object = read_object(body);
  if (!object)
    return tl::unexpected{object.error()};
  openai_reader reader{{}};
  reader.take_object(*object, "message");
  return reader.finish();
}

} // namespace convene::host
