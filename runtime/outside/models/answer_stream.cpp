#include <convene/runtime/outside/models/answer_stream.hpp>

#include <utility>

namespace convene::host {

bool answer_stream::feed(std::string_view bytes) {
  if (!error_.code.empty() || is_complete)
    return false;
  const auto goes_on = events_.feed(bytes, [this](const sse_event& event) {
    take(event.data);
    return error_.code.empty() && !is_complete;
  });
  if (!goes_on)
    refuse("answer_event_bytes_max",
           "an event of the model's answer is longer than "
             + std::to_string(event_bytes_max) + " bytes");
  return goes_on.value_or(false);
}

answer_outcome answer_stream::finish() {
  if (error_.code.empty() && !is_complete && !may_end())
    refuse("answer_incomplete", "the model's answer ended before its end",
           true);
  if (error_.code.empty())
    conclude();
  if (!error_.code.empty())
    return tl::unexpected{error_};
  return std::move(answer);
}

void answer_stream::add_text(std::string_view text) {
  answer.text += text;
  if (then_ && !text.empty())
    then_(text);
}

void answer_stream::refuse(std::string_view code, std::string message,
                           bool transient) {
  if (error_.code.empty())
    error_ = {.code = std::string{code},
              .message = std::move(message),
              .transient = transient};
}

protocol::action_error invalid_answer(std::string message) {
  return {.code = "answer_invalid", .message = std::move(message)};
}

} // namespace convene::host
