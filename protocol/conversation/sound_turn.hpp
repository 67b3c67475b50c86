#pragma once

#include <convene/protocol/conversation/turn.hpp>

#include <cstddef>

namespace convene::protocol {

/// Whether `decode` certainly takes what `encode` makes of the turn, and makes
/// the same turn of it; and whether that has no more than so many bytes. Of one
/// with further members the answer is no, and `decode` has to be asked.
[[nodiscard]] bool is_sound(const conversation_turn& turn,
                            std::size_t bytes_max);

} // namespace convene::protocol
