#pragma once

#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// What a session does with its inputs. Raised whenever the same inputs give
/// other bytes on the log. MAPSessionStarted carries it; a log without it has
/// rules 1.
inline constexpr std::int64_t rules = 5;

/// The first version of convene with these rules, also in MAPSessionStarted, so
/// that another one can name it. To be set with `rules` only: were it the
/// version of each program, each release would give other bytes.
inline constexpr std::string_view rules_since = "0.2.0";

/// The version with rules 1.
inline constexpr std::string_view rules_1_since = "0.1.0";

} // namespace convene::protocol
