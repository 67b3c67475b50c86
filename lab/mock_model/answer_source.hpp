#pragma once

#include <convene/lab/mock_model/profile.hpp>
#include <convene/lab/mock_model/prompt.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace convene::host::mock {

/// What a model answers to one prompt.
struct answer {
  std::string id; ///< hexadecimal; the same for the same answer
  std::string text;
  std::string thoughts = {};
  std::vector<tool_call> tools;
  finish ends = finish::stop;
  std::optional<failure> fails;
  std::int64_t first_token_ms = 0;
  std::int64_t tokens_per_second = 0; ///< 0: all at once
  std::int64_t tokens = 0;            ///< of text and calls
};

/// Chooses and draws answers. What is drawn is a pure function of the seed, the
/// request's content, and how often it has come before: requests may arrive in
/// any order, on any connection. Thread-safe.
class answer_source {
public:
  /// Different requests that are counted, where repeated ones get another
  /// answer (`profile::repeats_differ`).
  static constexpr std::size_t counted_requests_max = 1'000'000;

  /// `counted_max` is for tests.
  explicit answer_source(profile how,
                         std::size_t counted_max = counted_requests_max);

  /// Nothing: the request is a new one, and `counted_requests_max` are counted.
  /// `of` is a model of the profile.
  [[nodiscard]] std::optional<answer> next(const prompt& asked,
                                           const std::string& idempotency_key,
                                           const model& of);

  [[nodiscard]] const profile& how() const {
    return how_;
  }

private:
  [[nodiscard]] std::optional<std::uint32_t> count(std::uint64_t key);
  [[nodiscard]] const scripted_answer* choose(const model& of,
                                              const prompt& asked,
                                              std::uint32_t times, double luck);

  profile how_;
  std::size_t counted_max_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
  std::map<const model*, std::vector<bool>> given_; ///< for answer_order::next
};

} // namespace convene::host::mock
