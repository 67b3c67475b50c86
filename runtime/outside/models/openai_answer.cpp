#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/models/answer_calls.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/answer_original.hpp>
#include <convene/runtime/outside/models/openai.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;
using protocol::text_of;

/// Whether a part of a content is a thought.
bool is_thought(const json::object& part) {
  const auto type = text_of(part, "type");
  const auto* mark = part.if_contains("thought");
  return type == "thinking" || type == "reasoning" || type == "thought"
         || type == "redacted_thinking"
         || (mark && mark->is_bool() && mark->get_bool());
}

/// Chunks and whole answers differ only in the name of a choice's message.
class openai_reader final : public answer_stream {
public:
  explicit openai_reader(when_text then) : answer_stream(std::move(then)) {
    // nop
  }

protected:
  void take(const json::object& event) override;
  void take_whole(const json::object& from) override;
  void conclude() override;

  /// Some servers end without [DONE].
  [[nodiscard]] bool may_end() const override {
    return true;
  }

private:
  void take_counts(const json::object& from);
  void take_choice(const json::object& from);
  void take_message(const json::object& from, bool is_whole);
  void take_content(const json::value& from, bool is_whole);
  void take_parts(const json::array& from);
  void take_call(const json::value& from, bool is_whole);

  call_assembly calls_;
  json::array parts_; ///< of the content, if it comes in such
  bool has_thoughts_ = false;
  bool has_message_ = false; ///< a piece of one came
};

void openai_reader::take_counts(const json::object& from) {
  if (const auto* usage = object_member(from, "usage"))
    take_usage(answer.usage, *usage);
}

void openai_reader::take_whole(const json::object& from) {
  take(from);
  if (!from.contains("choices"))
    refuse(invalid_answer("the model's answer has no choices: "
                          + protocol::quote(json::serialize(from))));
}

void openai_reader::take(const json::object& event) {
  take_counts(event);
  if (const auto* groq = object_member(event, "x_groq"))
    take_counts(*groq);
  for (const auto& each : array_member(event, "choices")) {
    const auto* choice = each.if_object();
    if (choice && whole_number(*choice, "index").value_or(0) == 0)
      take_choice(*choice); // one was asked for
  }
}

void openai_reader::take_choice(const json::object& from) {
  if (auto error = reported_error(from))
    return refuse(*std::move(error));
  take_counts(from);
  if (const auto* delta = object_member(from, "delta"))
    take_message(*delta, false);
  else if (const auto* message = object_member(from, "message");
           message && !has_message_)
    take_message(*message, true);
  take_finish(text_of(from, "finish_reason"));
}

void openai_reader::take_message(const json::object& from, bool is_whole) {
  has_message_ = true;
  if (const auto* content = from.if_contains("content"))
    take_content(*content, is_whole);
  answer.refusal += text_of(from, "refusal");
  merge_original(answer.original, from);
  for (const auto& each : array_member(from, "tool_calls"))
    take_call(each, is_whole);
  if (const auto* call = from.if_contains("function_call");
      call && call->is_object())
    take_call(*call, is_whole);
}

void openai_reader::take_content(const json::value& from, bool is_whole) {
  if (const auto* text = from.if_string()) {
    add_text(*text);
    if (!parts_.empty() && !text->empty())
      merge_parts(parts_, {json::object{{"type", "text"}, {"text", *text}}});
  } else if (const auto* parts = from.if_array()) {
    if (parts_.empty() && !raw_text().empty())
      parts_.push_back(json::object{{"type", "text"}, {"text", raw_text()}});
    take_parts(*parts);
    if (is_whole)
      parts_ = *parts;
    else
      merge_parts(parts_, *parts);
  } else if (from.is_object()) {
    take_content(json::array{from}, is_whole);
  }
}

void openai_reader::take_parts(const json::array& from) {
  for (const auto& each : from) {
    if (const auto* text = each.if_string())
      add_text(*text);
    const auto* part = each.if_object();
    if (!part)
      continue;
    if (is_thought(*part)) {
      has_thoughts_ = true;
      continue;
    }
    add_text(text_of(*part, "text"));
    answer.refusal += text_of(*part, "refusal");
  }
}

void openai_reader::take_call(const json::value& from, bool is_whole) {
  const auto* call = from.if_object();
  if (!call)
    return refuse(
      invalid_answer("a tool call of the model's answer is not an object"));
  if (auto wrong = calls_.add(*call, is_whole))
    refuse(*std::move(wrong));
}

void openai_reader::conclude() {
  auto calls = std::move(calls_).finish();
  if (!calls)
    return refuse(calls.error());
  answer.calls = *std::move(calls);
  if (has_thoughts_)
    answer.original["content"] = std::move(parts_);
  if (!answer.calls.empty() && answer.finish == finish_reason::stop)
    answer.finish = finish_reason::tool_calls;
  if (!answer.refusal.empty() && answer.calls.empty()
      && answer.finish == finish_reason::stop)
    answer.finish = finish_reason::refusal;
}

} // namespace

std::unique_ptr<answer_stream> openai_stream(when_text then) {
  return std::make_unique<openai_reader>(std::move(then));
}

} // namespace convene::host
