#pragma once

#include <convene/protocol/boundary/boundary.hpp>
#include <convene/runtime/engine.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace convene::tests {

/// Time that passes when a test says so, and not while the machine is slow.
class hand_clock {
public:
  void pass(std::int64_t ms) noexcept {
    passed_ms_ += ms;
  }

  /// A runtime without a log, in this time. It must go before the clock.
  [[nodiscard]] std::unique_ptr<runtime> open_runtime() const {
    return host::runtime_access::open(
             {}, protocol::boundary::embedded_rules().value(), std::nullopt, {},
             {.wall = [] { return protocol::timestamp_ms{1'800'000'000'000}; },
              .monotonic
              = [this] { return std::chrono::milliseconds{passed_ms_}; }})
      .value();
  }

private:
  std::atomic<std::int64_t> passed_ms_ = 0;
};

} // namespace convene::tests
