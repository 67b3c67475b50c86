#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

/// What went wrong in a session: turns, and answers to broadcasts, that failed
/// or timed out, by their message.
class turn_failures {
public:
  /// `payload` is that of MAPTurnCompleted or MAPBroadcastReceived.
  CONVENE_API void add(const protocol::json::object& payload);

  /// Turns, and answers to broadcasts.
  [[nodiscard]] std::uint64_t total() const noexcept {
    return failed_ + timed_out_ + answers_;
  }

  /// The members of a result: turns_failed, turns_timed_out and errors, the
  /// most frequent first.
  [[nodiscard]] CONVENE_API protocol::json::object members() const;

  /// Messages that are told apart; failures with others are only counted.
  static constexpr std::size_t messages_max = 100;
  static constexpr std::size_t message_bytes_max = 2'000;
  static constexpr std::size_t participants_max = 1'000;

private:
  struct lot {
    std::string message;
    std::uint64_t count = 0;
    std::vector<std::string> participants; ///< each once
  };

  std::uint64_t failed_ = 0;
  std::uint64_t timed_out_ = 0;
  std::uint64_t answers_ = 0; ///< to broadcasts
  std::vector<lot> lots_;
};

} // namespace convene::host
