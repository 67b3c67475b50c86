#include <convene/lab/mock_endpoint/minute_bucket.hpp>

#include <algorithm>
#include <cmath>

namespace convene::server {

void minute_bucket::fill(time now) {
  if (filled_ != time{} && now > filled_) {
    const std::chrono::duration<double, std::ratio<60>> minutes = now - filled_;
    const auto most = static_cast<double>(per_minute_);
    level_ = std::min(most, level_ + most * minutes.count());
  }
  filled_ = std::max(filled_, now);
}

std::int64_t minute_bucket::remaining() const {
  return static_cast<std::int64_t>(std::max(0.0, std::floor(level_)));
}

std::chrono::milliseconds minute_bucket::until(std::int64_t count) const {
  const auto wanted = static_cast<double>(std::min(count, per_minute_));
  if (level_ >= wanted)
    return std::chrono::milliseconds{0};
  const double minutes = (wanted - level_) / static_cast<double>(per_minute_);
  return std::chrono::milliseconds{
    static_cast<std::int64_t>(std::ceil(minutes * 60'000))};
}

} // namespace convene::server
