#include <boost/asio/ip/address_v6.hpp>
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
  boost::system::error_code failed;
  const auto parsed = boost::asio::ip::make_address_v6(
    std::string{address.substr(0, address.find('%'))}, failed);
  if (failed || parsed.is_v4_mapped())
    return std::string{address};
  auto network = parsed.to_bytes();
  std::fill(network.begin() + 8, network.end(), std::uint8_t{0});
  return boost::asio::ip::make_address_v6(network).to_string();
}

} // namespace convene::server
