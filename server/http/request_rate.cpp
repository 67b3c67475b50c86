#include <boost/asio/ip/address_v6.hpp>
#include <convene/server/http/request_rate.hpp>

#include <algorithm>

namespace convene::server {

std::chrono::milliseconds request_rate::take(std::string_view who, time now) {
  using std::chrono::milliseconds;
  if (per_second_ == 0)
    return milliseconds{0};
  const std::scoped_lock lock{mutex_};
  if (buckets_.size() >= callers_max && !buckets_.contains(who)) {
    for (auto& [caller, bucket] : buckets_)
      bucket.fill(now);
    std::erase_if(buckets_,
                  [](const auto& one) { return one.second.is_full(); });
    if (buckets_.size() >= callers_max)
      who = {};
  }
  const protocol::token_bucket full{2.0 * per_second_, double(per_second_),
                                    std::chrono::seconds{1}};
  auto& mine = buckets_.try_emplace(std::string{who}, full).first->second;
  mine.fill(now);
  const auto wait = mine.until(1);
  if (mine.has(1))
    mine.take(1);
  return wait;
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
