#pragma once

#include <convene/protocol/checks/session_facts.hpp>

namespace convene::protocol {

/// The rules about requests and their answers in one session's log:
/// - deadline_matches: a request expires after the time that its receiver has,
///   a claim claim_timeout_ms after it was taken; nothing is recorded as
///   expired before
/// - answer_matches: a request's status and duration agree with its reply or
///   error
class answer_check {
public:
  void feed(const checked_event& e);

private:
  void ask(const checked_event& e, std::string_view id);
  static void answer(const checked_event& e,
                     std::optional<timestamp_ms> made_at);

  /// When requests were made, by token or broadcast.
  std::map<std::string, std::optional<timestamp_ms>, std::less<>> open_;
};

} // namespace convene::protocol
