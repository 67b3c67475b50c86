#pragma once

#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// SHA-256 of the bytes (FIPS 180-4).
[[nodiscard]] std::array<std::uint8_t, 32>
sha256(std::string_view bytes) noexcept;

/// The first 16 bytes of the SHA-256 as a v4-shaped UUID: the same text gives
/// the same id on any machine.
[[nodiscard]] uuid hashed_uuid(std::string_view text) noexcept;

} // namespace convene::protocol
