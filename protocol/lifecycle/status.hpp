#pragma once

#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/context.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <convene/protocol/lifecycle/tables.hpp>

#include <array>
#include <cassert>

// The tables for those who hold a status as an enum: the same rows, looked up
// at compile time.

namespace convene::protocol {

/// The lifecycle that a status enum belongs to.
template <class Status>
inline constexpr const lifecycle* lifecycle_of = nullptr;
template <>
inline constexpr const lifecycle*
  lifecycle_of<context_status> = &tables::context;
template <>
inline constexpr const lifecycle* lifecycle_of<plan_status> = &tables::plan;
template <>
inline constexpr const lifecycle* lifecycle_of<step_status> = &tables::step;
template <>
inline constexpr const lifecycle*
  lifecycle_of<confirm_status> = &tables::confirm;
template <>
inline constexpr const lifecycle* lifecycle_of<trace_status> = &tables::trace;
template <>
inline constexpr const lifecycle*
  lifecycle_of<segment_status> = &tables::segment;
template <>
inline constexpr const lifecycle* lifecycle_of<dialog_status> = &tables::dialog;
template <>
inline constexpr const lifecycle* lifecycle_of<collab_status> = &tables::collab;

/// For each status a bit for each that it may become, in the default reading.
template <class Status>
consteval auto moves_of_enum() {
  constexpr auto words = words_of<Status>;
  const auto& table = *lifecycle_of<Status>;
  std::array<std::uint32_t, words.size()> all{};
  for (std::size_t from = 0; from < words.size(); ++from) {
    if (table.states[from].word != words[from])
      throw "the table's states are not in the order of the enum";
    for (std::size_t to = 0; to < words.size(); ++to)
      for (const auto& move : table.moves)
        if (move.from == words[from] && move.to == words[to]
            && (move.reading == row_reading::always
                || move.reading == row_reading::one_round))
          all[from] |= 1U << to;
  }
  return all;
}

/// Whether the lifecycle lets an object go from one status to the other.
template <class Status>
[[nodiscard]] constexpr bool may_become(Status from, Status to) noexcept {
  constexpr auto moves = moves_of_enum<Status>();
  return (moves[static_cast<std::size_t>(from)] >> static_cast<unsigned>(to)
          & 1U)
         != 0;
}

/// Whether no way leads out of the status.
template <class Status>
[[nodiscard]] constexpr bool is_final(Status status) noexcept {
  constexpr auto moves = moves_of_enum<Status>();
  return moves[static_cast<std::size_t>(status)] == 0;
}

/// The protocol's stage word for the status (MPLP lifecycles 1).
template <class Status>
[[nodiscard]] constexpr std::string_view stage_word(Status status) noexcept {
  static_assert(moves_of_enum<Status>().size() > 0);
  return lifecycle_of<Status>->states[static_cast<std::size_t>(status)].stage;
}

/// Changes a status where the caller has made sure that it may. The same
/// status again is no change.
template <class Status>
constexpr void change_status(Status& status, Status to) noexcept {
  assert(status == to || may_become(status, to));
  status = to;
}

} // namespace convene::protocol
