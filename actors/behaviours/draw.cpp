#include <convene/actors/behaviours/draw.hpp>

#include <cmath>

namespace convene::actors {
namespace {

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// For shares below 0.02425.
double tail_quantile(double share) noexcept {
  const double q = std::sqrt(-2 * std::log(share));
  return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q
             - 2.400758277161838e+00)
              * q
            - 2.549732539343734e+00)
             * q
           + 4.374664141464968e+00)
            * q
          + 2.938163982698783e+00)
         / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q
              + 2.445134137142996e+00)
               * q
             + 3.754408661907416e+00)
              * q
            + 1);
}

double middle_quantile(double share) noexcept {
  const double q = share - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r
             - 2.759285104469687e+02)
              * r
            + 1.383577518672690e+02)
             * r
           - 3.066479806614716e+01)
            * r
          + 2.506628277459239e+00)
         * q
         / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r
               - 1.556989798598866e+02)
                * r
              + 6.680131188771972e+01)
               * r
             - 1.328068155288572e+01)
              * r
            + 1);
}

} // namespace

std::uint64_t split_mix(std::uint64_t start, std::uint64_t index) noexcept {
  auto z = start + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

draws::draws(std::uint64_t seed, std::string_view participant_id) noexcept
  : state_{split_mix(seed ^ split_mix(hash_of(participant_id), 0), 0)} {
  // nop
}

std::uint64_t draws::bits(std::uint32_t request,
                          std::uint8_t purpose) const noexcept {
  return split_mix(state_, std::uint64_t{request} << 8 | purpose);
}

double draws::uniform(std::uint32_t request,
                      std::uint8_t purpose) const noexcept {
  return (static_cast<double>(bits(request, purpose) >> 12) + 0.5) * 0x1p-52;
}

double normal_quantile(double share) noexcept {
  constexpr double tail = 0.02425;
  if (share < tail)
    return tail_quantile(share);
  if (share > 1 - tail)
    return -tail_quantile(1 - share);
  return middle_quantile(share);
}

} // namespace convene::actors
