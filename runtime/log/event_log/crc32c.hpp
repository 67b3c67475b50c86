#pragma once

#include <cstdint>
#include <string_view>

namespace convene::host {

/// CRC-32C (Castagnoli) of `bytes`. `before` is the crc of the bytes in front
/// of them, so that `crc32c(b, crc32c(a))` is the crc of a and b together. Uses
/// the processor's instruction if available.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes,
                                   std::uint32_t before = 0) noexcept;

/// Table-driven version for any processor.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::string_view bytes,
                                             std::uint32_t before = 0) noexcept;

/// Whether `crc32c` uses an instruction here.
[[nodiscard]] bool has_crc32c_instruction() noexcept;

} // namespace convene::host
