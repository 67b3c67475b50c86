#pragma once

#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/conversation/conversation.hpp>

#include <cassert>

namespace convene::session {

/// Makes the events of one input, and has the conversation fold each.
class conversation::recorder {
public:
  recorder(conversation& of, conversation_effects& to,
           protocol::timestamp_ms at, std::int64_t next_sequence)
    : of_{of}, to_{to}, at_{at}, next_sequence_{next_sequence} {}

  [[nodiscard]] protocol::timestamp_ms time() const noexcept {
    return at_;
  }

  void record(protocol::run_event_type type, const std::string& node_id,
              boost::json::value payload,
              std::optional<std::string> causation_id) {
    const auto& run_id = of_.state_.run_id;
    auto& event = to_.events.emplace_back();
    event.event_id = protocol::run_event_id(run_id, next_sequence_);
    event.run_id = run_id;
    event.type = to_word(type);
    event.payload.held = std::move(payload);
    event.timestamp = protocol::format_timestamp(at_);
    event.sequence = next_sequence_++;
    event.node_id = node_id;
    event.causation_id = std::move(causation_id);
    [[maybe_unused]] const auto done = of_.fold(event);
    assert(done);
  }

  void answer(conversation_answer what, bool is_duplicate = false) {
    to_.answer = std::move(what);
    to_.is_duplicate = is_duplicate;
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
  conversation& of_;
  conversation_effects& to_;
  protocol::timestamp_ms at_;
  std::int64_t next_sequence_;
};

} // namespace convene::session
