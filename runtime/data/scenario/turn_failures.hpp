#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A session's turns and answers to broadcasts that failed or timed out, and
/// the writes that it refused, grouped by their messages. A write that lost to
/// another one was not refused. Not thread-safe.
class turn_failures {
public:
  /// Failures with the same message.
  struct group {
    std::string message; ///< the first `message_bytes_max` bytes
    std::uint64_t count = 0;
    std::vector<std::string> participants; ///< each once
  };

  /// The session's next event; others than failures are ignored.
  CONVENE_API void add(const protocol::json::object& event);

  /// The same of its line, which is parsed if the event may be a failure.
  CONVENE_API void add(std::string_view line);

  [[nodiscard]] std::uint64_t failed() const noexcept {
    return failed_;
  }
  [[nodiscard]] std::uint64_t timed_out() const noexcept {
    return timed_out_;
  }
  /// Answers to broadcasts, which are not turns.
  [[nodiscard]] std::uint64_t answers() const noexcept {
    return answers_;
  }
  /// Writes, whatever became of the turn.
  [[nodiscard]] std::uint64_t writes_refused() const noexcept {
    return writes_refused_;
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return failed_ + timed_out_ + answers_ + writes_refused_;
  }

  /// The most frequent first, then the earliest.
  [[nodiscard]] CONVENE_API std::vector<group> groups() const;

  /// The members of a result: turns_failed, turns_timed_out, writes_refused and
  /// errors.
  [[nodiscard]] CONVENE_API protocol::json::object members() const;

  /// Distinct messages; failures with others are only counted.
  static constexpr std::size_t messages_max = 100;
  static constexpr std::size_t message_bytes_max = 4'000;
  static constexpr std::size_t participants_max = 1'000;

private:
  /// A write that is in conflict; its ruling is the next event.
  struct disputed_write {
    std::string conflict_id;
    std::string resource;
  };

  void add_answer(const protocol::json::object& payload, bool is_turn);
  void add_conflict(const protocol::json::object& payload);
  void add_ruling(const protocol::json::object& payload);
  void add_refused(std::string_view resource, std::string_view why,
                   std::string_view who);
  void count(std::string_view message, std::string_view who);

  std::uint64_t failed_ = 0;
  std::uint64_t timed_out_ = 0;
  std::uint64_t answers_ = 0;
  std::uint64_t writes_refused_ = 0;
  disputed_write disputed_;   ///< of the conflict before
  std::vector<group> groups_; ///< in order of appearance
};

} // namespace convene::host
