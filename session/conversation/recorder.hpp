#pragma once

#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/conversation.hpp>

namespace convene::session {

/// Makes the events of one input, and has the conversation fold each. If it
/// refuses one, nothing of the input has happened: the conversation is what it
/// was, and the only effect is a refusal as an internal error.
class conversation::recorder {
public:
  recorder(conversation& of, conversation_effects& to,
           protocol::timestamp_ms at, std::int64_t next_sequence,
           std::size_t room, bool is_recorded = false)
    : of_{of}, to_{to}, at_{at}, next_sequence_{next_sequence}, room_{room},
      is_recorded_{is_recorded} {}

  [[nodiscard]] protocol::timestamp_ms time() const noexcept {
    return at_;
  }

  /// Whether the input was taken before, by the source of a replay.
  [[nodiscard]] bool is_recorded() const noexcept {
    return is_recorded_;
  }

  /// The bytes that may still be kept.
  [[nodiscard]] std::size_t room() const noexcept {
    return room_;
  }

  [[nodiscard]] bool has_failed() const noexcept {
    return has_failed_;
  }

  void record(protocol::run_event_type type, const std::string& node_id,
              boost::json::value payload,
              std::optional<std::string> causation_id);

  /// Likewise an exchange, which nothing comes before, as it is written in
  /// `payload`; its turn has so many bytes.
  void record(protocol::conversation_exchanged&& what,
              boost::json::value payload, std::size_t bytes);

  /// Answers with the latest turn.
  void answer();

  /// Answers as before.
  void answer_again(const recorded_turn& what) {
    to_.answer = of_.answer_of(what);
    to_.is_duplicate = true;
  }

  void refuse(conversation_refusal what) {
    to_.refusal = std::move(what);
  }

  void refuse(protocol::interrupt_error code, std::string rule,
              std::string message, std::string pointer = {}) {
    refuse(refuse_input(code, std::move(rule), std::move(message),
                        std::move(pointer)));
  }

private:
  protocol::run_event&
  append(protocol::run_event_type type, const std::string& node_id,
         boost::json::value payload, std::optional<std::string> causation_id);
  void break_off(protocol::error why);

  conversation& of_;
  conversation_effects& to_;
  protocol::timestamp_ms at_;
  std::int64_t next_sequence_;
  std::size_t room_;
  bool is_recorded_;
  std::optional<checkpoint> before_; ///< the first event
  bool has_failed_ = false;
};

} // namespace convene::session
