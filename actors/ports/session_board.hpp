#pragma once

#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/machine/machine.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

namespace convene::actors {

/// How a session stands.
struct session_standing {
  protocol::usage usage;
  protocol::timestamp_ms turn_started_at = 0; ///< of the latest turn
  protocol::timestamp_ms last_at = 0;         ///< of the latest input
  std::uint32_t turns = 0;
  std::uint32_t broadcasts = 0;
  std::uint32_t conflicts = 0;
  std::uint32_t handoffs = 0;
  std::uint32_t open_requests = 0;
  session::participant_index turn_holder = session::no_participant;
  protocol::collab_status status = protocol::collab_status::active;
  bool ended = false;
};

/// Shows any thread how a session stands: its actor writes after each input,
/// others read. Neither takes a lock, and no turn waits for a reader. One
/// writer at a time.
class session_board {
public:
  void write(const session::machine& now) noexcept {
    const auto& counts = now.counts();
    const auto& turn = now.turn();
    const auto written = begin();
    set(prompt_tokens_, counts.usage.prompt_tokens);
    set(completion_tokens_, counts.usage.completion_tokens);
    set(cost_microusd_, counts.usage.cost_microusd);
    set(turn_started_at_, turn.turn_started_at);
    set(last_at_, now.last_at());
    set(turns_, counts.turns);
    set(broadcasts_, counts.broadcasts);
    set(conflicts_, counts.conflicts);
    set(handoffs_, counts.handoffs);
    set(open_requests_, static_cast<std::uint32_t>(now.open_requests()));
    set(turn_holder_, turn.current_turn_holder);
    set(status_, now.status());
    set(version_, written);
  }

  /// The session has ended, with this status if it is known.
  void end(std::optional<protocol::collab_status> status) noexcept {
    const auto written = begin();
    if (status)
      set(status_, *status);
    set(ended_, true);
    set(version_, written);
  }

  [[nodiscard]] session_standing read() const noexcept {
    while (true) {
      const auto before = get(version_);
      const session_standing seen{
        .usage = {.prompt_tokens = get(prompt_tokens_),
                  .completion_tokens = get(completion_tokens_),
                  .cost_microusd = get(cost_microusd_)},
        .turn_started_at = get(turn_started_at_),
        .last_at = get(last_at_),
        .turns = get(turns_),
        .broadcasts = get(broadcasts_),
        .conflicts = get(conflicts_),
        .handoffs = get(handoffs_),
        .open_requests = get(open_requests_),
        .turn_holder = get(turn_holder_),
        .status = get(status_),
        .ended = get(ended_)};
      if (before % 2 == 0 && before == version_.load(std::memory_order_relaxed))
        return seen;
      std::this_thread::yield();
    }
  }

private:
  template <class Value>
  static void set(std::atomic<Value>& field, Value to) noexcept {
    field.store(to, std::memory_order_release);
  }

  template <class Value>
  static Value get(const std::atomic<Value>& field) noexcept {
    return field.load(std::memory_order_acquire);
  }

  /// The version is odd while fields are written: who reads a new field, then
  /// reads an odd version or a later one. Returns the one to end with.
  std::uint64_t begin() noexcept {
    const auto number = version_.load(std::memory_order_relaxed);
    version_.store(number + 1, std::memory_order_relaxed);
    return number + 2;
  }

  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<std::int64_t> prompt_tokens_ = 0;
  std::atomic<std::int64_t> completion_tokens_ = 0;
  std::atomic<std::int64_t> cost_microusd_ = 0;
  std::atomic<protocol::timestamp_ms> turn_started_at_ = 0;
  std::atomic<protocol::timestamp_ms> last_at_ = 0;
  std::atomic<std::uint32_t> turns_ = 0;
  std::atomic<std::uint32_t> broadcasts_ = 0;
  std::atomic<std::uint32_t> conflicts_ = 0;
  std::atomic<std::uint32_t> handoffs_ = 0;
  std::atomic<std::uint32_t> open_requests_ = 0;
  std::atomic<session::participant_index> turn_holder_
    = session::no_participant;
  std::atomic<protocol::collab_status> status_
    = protocol::collab_status::active;
  std::atomic<bool> ended_ = false;
};

} // namespace convene::actors
