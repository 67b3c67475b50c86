#pragma once

#include <convene/protocol/documents/document_codec.hpp>
#include <convene/session/workflow/run_machine.hpp>

namespace convene::session {

/// Makes the events of one input, and has the machine apply each. If it refuses
/// one, the only effect is a refusal as an internal error, and the machine
/// takes no input any more.
class run_machine::recorder {
public:
  recorder(run_machine& of, run_effects& to, protocol::timestamp_ms at)
    : of_{of}, to_{to}, at_{at} {}

  [[nodiscard]] protocol::timestamp_ms time() const noexcept {
    return at_;
  }
  [[nodiscard]] bool has_failed() const noexcept {
    return of_.is_broken_;
  }

  template <class Payload>
  void record(event_type type, const Payload& payload,
              std::optional<std::size_t> node = {},
              const std::optional<std::string>& cause = {}) {
    append(type, protocol::encode(payload), node, cause);
  }

  /// Takes what the conversations did.
  void keep(conversation_effects made);

  void act(run_action what) {
    to_.actions.push_back(std::move(what));
  }
  void answer(conversation_answer what, bool is_duplicate) {
    to_.conversation = std::move(what);
    to_.is_duplicate = is_duplicate;
  }
  void refuse(run_refusal what) {
    to_.refusal = std::move(what);
  }
  void refuse(protocol::run_refusal_code code, std::string rule,
              std::string message, std::string pointer = {},
              protocol::errc kind = protocol::errc::invalid_document) {
    refuse({code,
            {.code = kind,
             .message = std::move(message),
             .pointer = std::move(pointer),
             .rule = std::move(rule)}});
  }

private:
  void append(event_type type, boost::json::value payload,
              std::optional<std::size_t> node,
              const std::optional<std::string>& cause);
  void break_off(protocol::error why);

  run_machine& of_;
  run_effects& to_;
  protocol::timestamp_ms at_;
};

/// A reason as it is written: whole characters of UTF-8.
[[nodiscard]] std::optional<std::string> reason_of(std::string_view given);

} // namespace convene::session
