#include <convene/actors/behaviours/distribution.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <cmath>

namespace convene::actors {
namespace {

/// normal_quantile(0.99)
constexpr double p99_quantile = 2.3263478740408408;

double number_at(const distribution& how, double share) noexcept {
  switch (how.kind) {
    case distribution::shape::uniform:
      return how.low + share * (how.high - how.low);
    case distribution::shape::lognormal:
      return how.low
             * std::exp(std::log(how.high / how.low) / p99_quantile
                        * normal_quantile(share));
    case distribution::shape::constant:
      break;
  }
  return how.low;
}

} // namespace

std::int64_t distribution::at(double share) const noexcept {
  constexpr auto most = static_cast<double>(session::duration_ms_max);
  return std::llround(std::clamp(number_at(*this, share), 0.0, most));
}

} // namespace convene::actors
