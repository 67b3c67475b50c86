#include <convene/server/http/request_rate.hpp>

#include <algorithm>
#include <cmath>

namespace convene::server {

double request_rate::level(const bucket& one, time now) const {
  const std::chrono::duration<double> passed = now - one.filled;
  return std::min(2.0 * per_second_,
                  one.requests + passed.count() * per_second_);
}

std::chrono::milliseconds request_rate::take(std::string_view who, time now) {
  using std::chrono::milliseconds;
  if (per_second_ == 0)
    return milliseconds{0};
  const std::scoped_lock lock{mutex_};
  if (buckets_.size() >= callers_max && !buckets_.contains(who)) {
    std::erase_if(buckets_, [&](const auto& one) {
      return level(one.second, now) >= 2.0 * per_second_;
    });
    if (buckets_.size() >= callers_max)
      who = {};
  }
  auto& mine = buckets_
                 .try_emplace(std::string{who}, bucket{2.0 * per_second_, now})
                 .first->second;
  mine = {level(mine, now), now};
  if (mine.requests < 1) {
    const auto seconds = (1 - mine.requests) / per_second_;
    return milliseconds{static_cast<long>(std::ceil(seconds * 1000))};
  }
  mine.requests -= 1;
  return milliseconds{0};
}

std::string counted_address(std::string_view address) {
  // The first four groups of what inet_ntop writes; a `::` among them stands
  // for zeros, which makes the network smaller, never larger.
  if (address.find(':') == address.npos)
    return std::string{address};
  std::size_t colons = 0;
  for (std::size_t at = 0; at < address.size(); ++at)
    if (address[at] == ':' && ++colons == 4)
      return std::string{address.substr(0, at)};
  return std::string{address};
}

} // namespace convene::server
