#pragma once

#include <convene/protocol/base/token_bucket.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace convene::server {

/// How often each caller may ask: a bucket of twice as many requests as are
/// filled in each second. Thread-safe.
class request_rate {
public:
  using time = protocol::token_bucket::time;

  /// 0 per second: any number.
  explicit request_rate(unsigned per_second) : per_second_{per_second} {}

  /// Takes a request of `who`. 0: it may be made; otherwise after how long
  /// there is room for the next one.
  [[nodiscard]] std::chrono::milliseconds take(std::string_view who, time now);

  /// Callers beyond it share one bucket.
  static constexpr std::size_t callers_max = 10'000;

private:
  unsigned per_second_;
  std::mutex mutex_;
  std::map<std::string, protocol::token_bucket, std::less<>> buckets_;
};

/// Whom an address counts as without a key: itself, or its network of 64 bits.
[[nodiscard]] std::string counted_address(std::string_view address);

} // namespace convene::server
