#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Distinguishes the remains of a write after a power loss from changed bytes.
// Text of a log never has a zero byte; a sector that did not reach the disk
// reads as zeros.

namespace convene::host {

/// The unit that a disk writes completely or not at all, in bytes.
inline constexpr std::size_t sector_bytes = 512;

/// Whether a whole sector, as far as it lies in `bytes`, is zeros. `offset` is
/// their position in the file.
[[nodiscard]] bool has_lost_sector(std::string_view bytes,
                                   std::uint64_t offset);

/// Whether `tail`, which follows the last complete group, ends in the expected
/// `log_group` line except for a few bits, and no sector is lost: then the
/// group was complete.
[[nodiscard]] bool ends_in_damaged_group(std::string_view tail,
                                         std::uint64_t offset,
                                         std::uint32_t previous_crc);

/// Whether a file without a complete group can be a log that was just begun.
[[nodiscard]] bool is_torn_start(std::string_view content);

} // namespace convene::host
