#pragma once

#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/spec/membership.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace convene::session {

/// The rank that the scenario gives a participant, by id, role or name of the
/// role; 0 without one.
[[nodiscard]] std::int64_t rank_of(const membership& all,
                                   participant_index who);
/// The highest of them.
[[nodiscard]] std::int64_t rank_of(const membership& all,
                                   std::span<const author> authors);

/// Whether `who` wrote one of the two sides.
[[nodiscard]] bool takes_part(participant_index who, participant_index writer,
                              const write_conflict& found) noexcept;

/// Who decides a conflict whose ruling is `ask`. A vote without voters becomes
/// an escalation, or is settled by rank; an escalation without anybody to ask
/// keeps the first write. `who` is empty unless the result is `ask`. Pure.
[[nodiscard]] resolution
find_deciders(const membership& all, resolution ruled, participant_index writer,
              const write_conflict& found, std::vector<participant_index>& who);

/// The ruling if those asked do not decide.
[[nodiscard]] resolution undecided();

} // namespace convene::session
