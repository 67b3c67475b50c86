#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A kind of session that a load is made of.
struct load_kind {
  std::string name; ///< the mode
  session::spec scenario;
  std::size_t participants = 0;
  double turns = 1; ///< how many a session is expected to have
};

inline constexpr std::size_t shape_participants_max = 1'000;
inline constexpr std::int64_t shape_rounds_max = 10'000;
/// Participants times rounds.
inline constexpr std::int64_t shape_turns_max = 10'000;

/// A made-up session: simulated participants who answer after a while, say
/// something of a size, and write to what they share.
struct load_shape {
  protocol::mode mode = protocol::mode::round_robin;
  std::size_t participants = 4; ///< who answer; a pair has two
  std::int64_t rounds = 2;      ///< turns of each
  std::int64_t payload_bytes = 64;
  double writes = 0;          ///< share of the turns that write, 0 to 1
  std::size_t contention = 1; ///< how many write the same resource
  /// How long an answer takes, as `latency_ms` of a simulated participant.
  boost::json::value think_ms = 0;
  std::size_t hanging = 0; ///< participants who never answer
  std::optional<std::int64_t> turn_timeout_ms;
};

/// The scenario of such a session, without ids.
[[nodiscard]] boost::json::object scenario_of(const load_shape& shape);

/// The same as a kind. Errors are those of the scenario.
[[nodiscard]] protocol::result<load_kind> kind_of(const load_shape& shape);

/// A scenario of the user's own as a kind. Nobody in it may act outside.
[[nodiscard]] load_kind kind_of(session::spec scenario);

/// Reads `20ms`, `uniform:10ms:50ms` (from, to) or `lognormal:800ms:6s`
/// (median, 99th percentile).
[[nodiscard]] protocol::result<boost::json::value>
parse_think(std::string_view text);

/// One of the kinds and how often it takes part.
struct mode_share {
  protocol::mode mode = protocol::mode::round_robin;
  std::size_t weight = 1;
};

/// Reads `pair` and `round_robin=3,pair=1`.
[[nodiscard]] protocol::result<std::vector<mode_share>>
parse_modes(std::string_view text);

/// In which order the kinds take part, over and over: evenly spread.
[[nodiscard]] std::vector<std::size_t>
cycle_of(const std::vector<mode_share>& shares);

} // namespace convene::host
