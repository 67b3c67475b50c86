#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::session {

/// What a replay does where it differs from what its source recorded.
enum class divergence_policy : std::uint8_t { keep_going, abort };

} // namespace convene::session

namespace convene::protocol {

inline constexpr std::string_view divergence_policy_words[]{"continue",
                                                            "abort"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::divergence_policy>{divergence_policy_words};

} // namespace convene::protocol
