#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/collab.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace convene::protocol {

/// What kind of work a session is for.
enum class task_kind : std::uint8_t {
  pipeline,      ///< one stage after the other
  peer_review,   ///< one makes, another looks
  voting,        ///< each is heard in turn
  parallel_work, ///< parts that do not touch each other
  announcement   ///< one tells all the others
};
CONVENE_WORDS(task_kind, "pipeline", "peer_review", "voting", "parallel_work",
              "announcement");

/// What there is to know of a session before its mode is chosen.
struct mode_question {
  std::size_t acting = 0;        ///< participants of any kind but `system`
  std::optional<task_kind> task; ///< none: judged by the rest alone
  bool central_control = false;  ///< one decides who does what
  bool independent_work = false; ///< the parts do not need each other
  bool sequential_turns = false; ///< order matters
};

/// A mode, and in words why.
struct mode_recommendation {
  protocol::mode mode = protocol::mode::round_robin;
  std::string reason; ///< one sentence
};

/// How many of them act.
[[nodiscard]] std::size_t
count_acting(std::span<const participant> participants) noexcept;

/// The mode that the protocol's selection guide leads to (MPLP profiles 2.1).
/// A known kind of task decides if its mode can seat the participants;
/// otherwise their number and what the work needs do. Refuses a session in
/// which nobody acts: errc::activation_refused, rule `map_min_participants`.
[[nodiscard]] result<mode_recommendation>
recommend_mode(const mode_question& what);

} // namespace convene::protocol
