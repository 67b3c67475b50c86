#pragma once

#include <convene/protocol/base/words.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::host {

/// What can go wrong; docs/faults.md says what each does.
enum class fault_kind : std::uint8_t {
  crash,
  hang,
  late,
  twice,
  after_end,
  no_answer,
  request_delayed,
  request_lost,
  request_reordered,
  answer_delayed,
  answer_lost,
  answer_reordered,
  cancel_storm,
  suspension,
  clock_jump,
  write_error,
  sync_error,
  kill,
  power_cut,
  damage,
};
inline constexpr std::size_t fault_kinds = 20;

/// What is counted to say where a fault strikes, each from 1 in a seed, over
/// all lives of its process.
enum class fault_operation : std::uint8_t {
  request, ///< the session asks a participant
  answer,  ///< a participant has an answer
  append,  ///< the session appends the events of an input
  write,   ///< the log is written
  sync,    ///< the log is synced
  disk,    ///< either of the two
};
inline constexpr std::size_t fault_operations = 6;

/// Where faults of a kind strike.
[[nodiscard]] constexpr fault_operation operation_of(fault_kind kind) noexcept {
  if (kind < fault_kind::request_delayed)
    return fault_operation::answer;
  if (kind < fault_kind::answer_delayed)
    return fault_operation::request;
  if (kind < fault_kind::cancel_storm)
    return fault_operation::answer;
  switch (kind) {
    case fault_kind::write_error:
      return fault_operation::write;
    case fault_kind::sync_error:
      return fault_operation::sync;
    case fault_kind::power_cut:
      return fault_operation::disk;
    default:
      return fault_operation::append;
  }
}

/// Whether the process ends by it and goes on from its log.
[[nodiscard]] constexpr bool ends_process(fault_kind kind) noexcept {
  return kind >= fault_kind::write_error;
}

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::array<std::string_view, host::fault_kinds> fault_words{
  "crash",           "hang",         "late",
  "twice",           "after_end",    "no_answer",
  "request_delayed", "request_lost", "request_reordered",
  "answer_delayed",  "answer_lost",  "answer_reordered",
  "cancel_storm",    "suspension",   "clock_jump",
  "write_error",     "sync_error",   "kill",
  "power_cut",       "damage"};
template <>
inline constexpr std::span<const std::string_view> words_of<host::fault_kind>{
  fault_words};

} // namespace convene::protocol
