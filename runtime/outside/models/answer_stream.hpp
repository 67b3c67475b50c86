#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/sse_reader.hpp>
#include <convene/runtime/outside/models/answer_thoughts.hpp>
#include <convene/runtime/outside/models/conversation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// What can be wrong with an answer:
/// - `answer_invalid`: it is not what the provider's format says, for example
///   no JSON, a web page, or words;
/// - `answer_incomplete`: it ended before its end, or for a reason that is not
///   known; transient;
/// - `answer_event_bytes_max`, `tool_calls_max`: a bound was reached;
/// - `provider_error`: the provider says so in the answer.
using answer_outcome = tl::expected<model_answer, protocol::action_error>;

/// Reads an answer as it arrives, whether it is streamed or one body: what a
/// server sends decides, not what it was asked for. Text is passed on at once;
/// the answer counts only when it is complete.
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

  /// Takes an event of a stream. Calls `refuse` if it is wrong.
  virtual void take(const protocol::json::object& event) = 0;

  /// Takes an answer that came as one body.
  virtual void take_whole(const protocol::json::object& from) = 0;

  /// Whether a stream may end with the reason why the model stopped.
  [[nodiscard]] virtual bool may_end() const {
    return false;
  }

  /// Completes `answer` once all has been read.
  virtual void conclude() = 0;

  void add_text(std::string_view text);
  /// All text so far, with its thoughts.
  [[nodiscard]] const std::string& raw_text() const noexcept {
    return raw_;
  }
  void refuse(std::string_view code, std::string message,
              bool transient = false);
  void refuse(protocol::action_error why);

  /// Takes the word for why the model stopped; empty: none.
  void take_finish(std::string_view word);

  model_answer answer;
  bool is_complete = false; ///< the provider said so

private:
  /// What arrives, by its first character.
  enum class shape : std::uint8_t { unknown, events, body };

  void take_event(const sse_event& event);
  void take_object(std::string_view text);
  void take_body();
  [[nodiscard]] bool is_foreign() const;

  when_text then_;
  shape shape_ = shape::unknown;
  std::string body_; ///< all of it, or the beginning of a stream
  bool has_event_ = false;
  sse_reader events_{event_bytes_max};
  thought_filter filter_;
  std::string raw_;
  bool has_finish_ = false;    ///< the reason came
  std::string unknown_finish_; ///< the first reason that is not known
  protocol::action_error error_;
};

/// The error for an answer that breaks its format.
[[nodiscard]] protocol::action_error invalid_answer(std::string message);

} // namespace convene::host
