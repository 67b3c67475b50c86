#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace convene::actors {

/// Random numbers for simulated participants. Each is a pure function of (seed,
/// participant id, request, purpose), the same on every machine, with no state
/// to lose: output number `request * 256 + purpose` of SplitMix64, from a state
/// derived from the seed and the FNV-1a hash of the id.
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

/// The random numbers for one request.
class request_draws {
public:
  /// `label` tells the request from others in texts.
  request_draws(draws from, std::uint32_t row, std::string label)
    : from_{from}, row_{row}, label_{std::move(label)} {
    // nop
  }

  /// Uniform, above 0 and below 1.
  [[nodiscard]] double uniform(std::uint8_t purpose) const noexcept {
    return from_.uniform(row_, purpose);
  }

  [[nodiscard]] const std::string& label() const noexcept {
    return label_;
  }

private:
  draws from_;
  std::uint32_t row_;
  std::string label_;
};

/// Output number `index`, from 0, of SplitMix64 started at `start`.
[[nodiscard]] std::uint64_t split_mix(std::uint64_t start,
                                      std::uint64_t index) noexcept;

/// The quantile of the standard normal distribution, for 0 < share < 1, to nine
/// digits (Acklam's rational approximation).
[[nodiscard]] double normal_quantile(double share) noexcept;

} // namespace convene::actors
