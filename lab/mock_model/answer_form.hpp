#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/mock_model/answer_source.hpp>
#include <convene/lab/mock_model/prompt.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Answers in the form of a provider.

namespace convene::host::mock {

/// When answers were made, by what they say: the same ones are the same bytes.
inline constexpr std::int64_t created_s = 1'767'225'600; // 2026-01-01

/// What the form needs of a request.
struct asked_for {
  wire_form form = wire_form::openai;
  dialect speaks = dialect::openai; ///< of OpenAI's form
  std::string model;
  bool wants_usage = false;
  std::int64_t prompt_tokens = 0;
};

/// The answer as one body.
[[nodiscard]] std::string whole_body(const asked_for& by, const answer& what);

/// A moment of a streamed answer. Its events are made as they are sent, so
/// that a stream takes little memory.
struct stream_step {
  enum class kind : std::uint8_t { start, block_start, piece, block_stop, end };

  kind what = kind::start;
  std::uint32_t block = 0; ///< number of the text or tool call
  std::uint32_t from = 0;  ///< of a piece: its place in the block's text
  std::uint32_t size = 0;
};

/// An answer as events of a stream.
class answer_events {
public:
  answer_events(asked_for by, answer what);
  answer_events(const answer_events&) = delete;
  answer_events& operator=(const answer_events&) = delete;

  [[nodiscard]] const std::vector<stream_step>& steps() const {
    return steps_;
  }

  /// The bytes of a step; empty: this form has no event for it.
  [[nodiscard]] std::string bytes(const stream_step& at) const;

private:
  struct block {
    const tool_call* call = nullptr; ///< null: a text
    std::string text;                ///< or the call's arguments
  };

  [[nodiscard]] std::string openai_bytes(const stream_step& at) const;
  [[nodiscard]] std::string anthropic_bytes(const stream_step& at) const;

  asked_for by_;
  answer what_;
  std::vector<block> blocks_;
  std::vector<stream_step> steps_;
};

/// An error as a provider's body. `code` is OpenAI's, empty: none.
[[nodiscard]] std::string error_body(wire_form form, unsigned status,
                                     std::string_view message,
                                     std::string_view code = {});

/// The models of this server, in the form's own list, and one of them.
[[nodiscard]] boost::json::object model_entry(wire_form form,
                                              std::string_view name);
[[nodiscard]] boost::json::object
model_list(wire_form form, const std::vector<std::string>& names);

} // namespace convene::host::mock
