#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/answer_stream.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {
namespace {

/// As much of a stream is kept to quote it if it is none.
constexpr std::size_t beginning_bytes_max = 4096;

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size())
                                           : text;
}

} // namespace

bool answer_stream::feed(std::string_view bytes) {
  if (!error_.code.empty() || is_complete)
    return false;
  if (shape_ == shape::body || shape_ == shape::unknown)
    body_ += bytes;
  else if (body_.size() < beginning_bytes_max)
    body_ += bytes.substr(0, beginning_bytes_max - body_.size());
  if (shape_ == shape::unknown) {
    const auto text = without_mark(body_);
    const auto* const first = std::ranges::find_if_not(text,
                                                       protocol::is_json_space);
    if (first == text.end())
      return true;
    constexpr std::string_view of_bodies = "{[<\"";
    shape_ = of_bodies.find(*first) != of_bodies.npos ? shape::body
                                                      : shape::events;
    bytes = text;
  }
  if (shape_ == shape::body)
    return true;
  const auto proceeds = events_.feed(bytes, [this](const sse_event& event) {
    take_event(event);
    return error_.code.empty() && !is_complete;
  });
  if (!proceeds)
    refuse("answer_event_bytes_max",
           "an event of the model's answer is longer than "
             + std::to_string(event_bytes_max) + " bytes");
  return proceeds.value_or(false);
}

void answer_stream::take_event(const sse_event& event) {
  has_event_ = true;
  std::string_view data = event.data;
  while (!data.empty() && protocol::is_json_space(data.back()))
    data.remove_suffix(1);
  if (data.empty())
    return;
  if (data == "[DONE]") {
    is_complete = true;
    return;
  }
  if (event.type == "error")
    return refuse(error_in(data));
  take_object(data);
}

void answer_stream::take_object(std::string_view text) {
  const auto object = read_object(text);
  if (!object)
    return refuse(object.error());
  if (auto error = reported_error(*object))
    return refuse(*std::move(error));
  is_complete = shape_ == shape::body;
  if (is_complete)
    take_whole(*object);
  else
    take(*object);
}

void answer_stream::take_body() {
  const auto text = without_mark(body_);
  if (text[text.find_first_not_of(" \t\r\n")] == '<')
    return refuse("answer_invalid",
                  "the server sent a web page, no answer of a model: "
                    + protocol::quote(page_words(text)) + "; check base_url");
  take_object(text);
}

/// Whether what came has nothing of a stream: not an event, nor the beginning
/// of one.
bool answer_stream::is_foreign() const {
  if (shape_ != shape::events || has_event_)
    return false;
  auto line = without_mark(body_);
  line.remove_prefix(std::min(line.find_first_not_of("\r\n"), line.size()));
  const auto end = line.find_first_of("\r\n");
  const auto name = line.substr(0, std::min(end, line.find(':')));
  constexpr std::array fields{std::string_view{"data"},
                              std::string_view{"event"}, std::string_view{"id"},
                              std::string_view{"retry"}};
  return !name.empty() && std::ranges::none_of(fields, [&](auto each) {
    return each == name
           || (end == line.npos && name.size() == line.size()
               && each.starts_with(name));
  });
}

answer_outcome answer_stream::finish() {
  if (shape_ == shape::body)
    take_body();
  else if (is_foreign())
    refuse("answer_invalid",
           "the server sent no answer of a model: "
             + protocol::sanitize_beginning(error_in(body_).message, 500));
  if (!unknown_finish_.empty())
    refuse("answer_incomplete",
           "the model's answer ended for a reason that is not known: "
             + protocol::quote(unknown_finish_),
           true);
  else if (!has_finish_ || !(is_complete || may_end()))
    refuse("answer_incomplete",
           is_complete ? "the model's answer ended without saying why"
                       : "the model's answer ended before its end",
           true);
  answer.text = std::move(filter_).finish();
  if (error_.code.empty())
    conclude();
  if (answer.finish == finish_reason::tool_calls && answer.calls.empty())
    refuse("answer_incomplete",
           "the model's answer ended to call tools, but has no calls", true);
  if (!error_.code.empty())
    return tl::unexpected{error_};
  if (answer.text != raw_ && !answer.original.contains("content"))
    answer.original["content"] = raw_;
  return std::move(answer);
}

void answer_stream::add_text(std::string_view text) {
  if (text.empty())
    return;
  raw_ += text;
  const auto said = filter_.feed(text);
  if (then_ && !said.empty())
    then_(said);
}

void answer_stream::take_finish(std::string_view word) {
  if (word.empty())
    return;
  has_finish_ = true;
  const auto reason = known_finish(word);
  if (!reason && unknown_finish_.empty())
    unknown_finish_ = word;
  // A later, harmless word does not undo that the answer was cut.
  const bool is_harmless = answer.finish == finish_reason::stop
                           || answer.finish == finish_reason::tool_calls;
  if (reason && is_harmless)
    answer.finish = *reason;
}

void answer_stream::refuse(std::string_view code, std::string message,
                           bool transient) {
  refuse({.code = std::string{code},
          .message = std::move(message),
          .transient = transient});
}

void answer_stream::refuse(protocol::action_error why) {
  if (error_.code.empty())
    error_ = std::move(why);
}

protocol::action_error invalid_answer(std::string message) {
  return {.code = "answer_invalid", .message = std::move(message)};
}

} // namespace convene::host
