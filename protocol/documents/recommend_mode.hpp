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
  peer_review,   ///< one produces, another reviews
  voting,        ///< each speaks in turn
  parallel_work, ///< independent parts
  announcement   ///< one informs all others
};
CONVENE_WORDS(task_kind, "pipeline", "peer_review", "voting", "parallel_work",
              "announcement");

/// What is known of a session before its mode is chosen.
struct mode_question {
  std::size_t acting = 0;        ///< participants of any kind but `system`
  std::optional<task_kind> task; ///< none: judged by the rest alone
  bool central_control = false;  ///< one decides who does what
  bool independent_work = false; ///< parts do not depend on each other
  bool sequential_turns = false; ///< order matters
};

/// A mode and the reason for it.
struct mode_recommendation {
  protocol::mode mode = protocol::mode::round_robin;
  std::string reason; ///< one sentence
};

/// The number of participants that act.
[[nodiscard]] std::size_t
count_acting(std::span<const participant> participants) noexcept;

/// The mode chosen by the protocol's selection guide (MPLP profiles 2.1). A
/// known kind of task decides if its mode allows the participants; otherwise
/// their number and the needs of the work decide. Refuses a session in which
/// nobody acts: errc::activation_refused, rule `map_min_participants`.
[[nodiscard]] result<mode_recommendation>
recommend_mode(const mode_question& what);

} // namespace convene::protocol
