#pragma once

#include <cstdint>
#include <string_view>

namespace convene::actors {

/// Numbers for simulated participants. Each is a pure function of (seed,
/// participant id, request, purpose), the same on every machine, so there is no
/// state to lose: it is the output of SplitMix64 number `request * 256 +
/// purpose`, from a state made of the seed and the FNV-1a hash of the id.
class draws {
public:
  draws(std::uint64_t seed, std::string_view participant_id) noexcept;

  /// 64 uniform bits.
  [[nodiscard]] std::uint64_t bits(std::uint32_t request,
                                   std::uint8_t purpose) const noexcept;

  /// Uniform, above 0 and below 1.
  [[nodiscard]] double uniform(std::uint32_t request,
                               std::uint8_t purpose) const noexcept;

private:
  std::uint64_t state_;
};

/// SplitMix64's output number `index`, from 0, of the state `start`.
[[nodiscard]] std::uint64_t split_mix(std::uint64_t start,
                                      std::uint64_t index) noexcept;

/// The standard normal distribution's quantile, for 0 < share < 1, to nine
/// digits (Acklam's rational approximation).
[[nodiscard]] double normal_quantile(double share) noexcept;

} // namespace convene::actors
