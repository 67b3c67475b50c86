#include <convene/lab/simulation/faults/seed_faults.hpp>

#include <algorithm>
#include <string>

namespace convene::host {
namespace {

/// What is drawn for a kind as a whole, at operation 0.
enum draw_purpose : std::uint8_t { strike, share };

} // namespace

seed_faults::seed_faults(const fault_spec& what, std::uint64_t seed)
  : by_script_(what.script.has_value()), delay_ms_(what.delay_ms) {
  draws_.reserve(fault_kinds);
  for (const auto word : protocol::fault_words)
    draws_.emplace_back(seed, "fault:" + std::string{word});
  if (what.rates)
    rates_ = what.rates->of;
  if (what.script)
    for (const auto& one : *what.script)
      script_.emplace(one.fault, one.at);
  if (!what.random)
    return;
  constexpr double chosen = 1.0 / 3;
  constexpr std::array<double, 4> shares{1, 0.25, 0.0625, 0.015625};
  for (std::size_t i = 0; i < fault_kinds; ++i)
    if (draws_[i].uniform(0, strike) < chosen)
      rates_.at(i) = *what.random
                     * shares.at(static_cast<std::size_t>(
                       4 * draws_[i].uniform(0, share)));
}

bool seed_faults::is_meant(fault_kind kind, std::uint32_t at) const noexcept {
  if (by_script_)
    return script_.contains({kind, at});
  const auto index = static_cast<std::size_t>(kind);
  return rates_.at(index) > 0
         && draws_.at(index).uniform(at, strike) < rates_.at(index);
}

bool seed_faults::strikes(fault_kind kind, std::uint32_t at) {
  if (is_full_ || !is_meant(kind, at)
      || (ends_process(kind) && interruptions_ >= interruptions_max))
    return false;
  if (struck_.size() == seed_faults_max) {
    is_full_ = true;
    return false;
  }
  struck_.push_back({kind, at});
  if (ends_process(kind))
    ++interruptions_;
  return true;
}

std::int64_t seed_faults::delay(fault_kind kind, std::uint32_t at,
                                std::uint8_t purpose) const noexcept {
  return std::max<std::int64_t>(delay_ms_.at(draw(kind, at, purpose)), 1);
}

} // namespace convene::host
