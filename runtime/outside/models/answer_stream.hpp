#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/sse_reader.hpp>
#include <convene/runtime/outside/models/conversation.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::host {

/// What can be wrong with an answer:
/// - `answer_invalid`: it is not what the provider's format says, for example
///   no JSON or no UTF-8;
/// - `answer_incomplete`: it ended before its end; transient;
/// - `answer_event_bytes_max`, `tool_calls_max`: a bound was reached;
/// - `provider_error`: the provider says so in the answer.
using answer_outcome = tl::expected<model_answer, protocol::action_error>;

/// Reads a streamed answer as it arrives. Text is passed on at once; the answer
/// counts only when it is complete.
class answer_stream {
public:
  answer_stream(const answer_stream&) = delete;
  answer_stream& operator=(const answer_stream&) = delete;
  virtual ~answer_stream() = default;

  static constexpr std::size_t event_bytes_max = 4U << 20;

  /// Takes bytes, cut anywhere. False: there is nothing more to read, because
  /// the answer is complete or wrong.
  [[nodiscard]] bool feed(std::string_view bytes);

  /// After the last byte: the answer, or what is wrong with it.
  [[nodiscard]] answer_outcome finish();

protected:
  explicit answer_stream(when_text then) : then_(std::move(then)) {
    // nop
  }

  /// Takes the data of one event. Calls `refuse` if it is wrong.
  virtual void take(std::string_view data) = 0;

  /// Whether the answer is complete if nothing more comes.
  [[nodiscard]] virtual bool may_end() const {
    return false;
  }

  /// Completes `answer` once all has been read.
  virtual void conclude() = 0;

  void add_text(std::string_view text);
  void refuse(std::string_view code, std::string message,
              bool transient = false);

  model_answer answer;
  bool is_complete = false; ///< the provider said so

private:
  when_text then_;
  sse_reader events_{event_bytes_max};
  protocol::action_error error_;
};

/// The error for an answer that breaks its format.
[[nodiscard]] protocol::action_error invalid_answer(std::string message);

} // namespace convene::host
