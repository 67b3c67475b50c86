#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace convene::server {

/// What a mock server was asked. Thread-safe.
class call_record : public std::enable_shared_from_this<call_record> {
public:
  /// Beyond these, calls are counted under "*", keys not at all, and longer
  /// prompts are not kept.
  static constexpr std::size_t models_max = 1'000;
  static constexpr std::size_t keys_max = 100'000;
  static constexpr std::size_t key_bytes_max = 256; ///< nor longer ones
  static constexpr std::size_t prompt_bytes_max = 256 << 10;

  /// Counts a call, whatever it is answered. What it returns is kept until its
  /// answer has been sent, or its caller has gone.
  [[nodiscard]] std::shared_ptr<void> begin(std::string_view model,
                                            std::string_view idempotency_key,
                                            std::string_view body);

  /// {"calls", "open", "open_most", "by_model"}
  [[nodiscard]] boost::json::object counts() const;
  /// Calls by idempotency key, of those that had one.
  [[nodiscard]] boost::json::object keys() const;
  /// The body of the latest call of a model; empty: none is kept.
  [[nodiscard]] std::string latest(std::string_view model) const;

private:
  mutable std::mutex mutex_;
  std::uint64_t calls_ = 0;
  std::uint64_t open_ = 0;
  std::uint64_t open_most_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_model_;
  std::map<std::string, std::uint64_t, std::less<>> by_key_;
  std::map<std::string, std::string, std::less<>> latest_;
};

} // namespace convene::server
