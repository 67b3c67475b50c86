#pragma once

#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/machine/machine.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <tuple>
#include <type_traits>

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
  std::array<std::uint8_t, 6> unused{}; ///< else there would be padding
};

/// Shows any thread how a session stands: its actor writes after each input,
/// others read. Neither takes a lock or waits for the other. One writer at a
/// time.
class session_board {
public:
  session_board() {
    write({});
  }

  void write(const session::machine& now) noexcept {
    const auto& counts = now.counts();
    const auto& turn = now.turn();
    write({.usage = counts.usage,
           .turn_started_at = turn.turn_started_at,
           .last_at = now.last_at(),
           .turns = counts.turns,
           .broadcasts = counts.broadcasts,
           .conflicts = counts.conflicts,
           .handoffs = counts.handoffs,
           .open_requests = static_cast<std::uint32_t>(now.open_requests()),
           .turn_holder = turn.current_turn_holder,
           .status = now.status()});
  }

  void write(const session_standing& what) noexcept {
    const auto words = std::bit_cast<word_list>(what);
    // Odd while it is written. Who reads a new word, then reads an odd number
    // or a later one.
    const auto number = version_.load(std::memory_order_relaxed);
    version_.store(number + 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words.size(); ++i)
      words_[i].store(words[i], std::memory_order_release);
    version_.store(number + 2, std::memory_order_release);
  }

  [[nodiscard]] session_standing read() const noexcept {
    word_list words;
    while (true) {
      const auto before = version_.load(std::memory_order_acquire);
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = words_[i].load(std::memory_order_acquire);
      if (before % 2 == 0 && before == version_.load(std::memory_order_relaxed))
        return std::bit_cast<session_standing>(words);
      std::this_thread::yield();
    }
  }

private:
  static_assert(std::has_unique_object_representations_v<session_standing>);
  using word_list = std::array<std::uint64_t, sizeof(session_standing)
                                                / sizeof(std::uint64_t)>;

  std::atomic<std::uint64_t> version_ = 0;
  std::array<std::atomic<std::uint64_t>, std::tuple_size_v<word_list>> words_{};
};

} // namespace convene::actors
