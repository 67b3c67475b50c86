#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Tells what a power cut leaves of a write from bytes that have changed. Text
// of a log never has a zero byte; a sector that did not reach the disk reads as
// zeros.

namespace convene::host {

/// What a disk writes whole or not at all, in bytes.
inline constexpr std::size_t sector_bytes = 512;

/// Whether a whole sector, as far as it lies in `bytes`, is zeros. `offset` is
/// where in the file they stand.
[[nodiscard]] bool has_lost_sector(std::string_view bytes,
                                   std::uint64_t offset);

/// Whether `tail`, what follows the last whole group, ends in the `log_group`
/// line that belongs there, but for a few bits, and no sector is lost: then the
/// group was whole.
[[nodiscard]] bool ends_in_damaged_group(std::string_view tail,
                                         std::uint64_t offset,
                                         std::uint32_t previous_crc);

/// Whether a file without one whole group can be a log that was just begun.
[[nodiscard]] bool is_torn_start(std::string_view content);

} // namespace convene::host
