#pragma once

#include <convene/server/http/response.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

namespace convene::server {

/// Answers to requests that had an Idempotency-Key, so that the same request is
/// carried out once and answered again. In memory: a server that starts again
/// knows none of them. Thread-safe.
class kept_answers {
public:
  using time = std::chrono::steady_clock::time_point;

  struct limits {
    std::size_t answers_max = 10'000;
    std::size_t bytes_max = 64 << 20; ///< of answers and their keys
    std::chrono::hours kept{24};
  };

  explicit kept_answers(limits bounds) : limits_{bounds} {}
  kept_answers() : kept_answers(limits{}) {}

  struct carry_out {};     ///< nobody has: `end` is to be called
  struct other_request {}; ///< the key was used for something else
  struct in_flight {};     ///< it is being carried out
  struct too_many {};      ///< `answers_max` are being carried out
  using state
    = std::variant<carry_out, response, other_request, in_flight, too_many>;

  /// `key` names caller, endpoint and key; `content` is what was sent there.
  [[nodiscard]] state begin(const std::string& key, std::string_view content,
                            time now);

  /// The answer that was given: kept, unless the request was not carried out
  /// (400, 401, 403), the key is another one's, its answer is a stream or,
  /// except for OpenWOP, what was in the way may pass (429, 5xx). Beyond the
  /// bounds the oldest are forgotten.
  void end(const std::string& key, const response& answer, time now,
           error_form form = error_form::native);

private:
  struct entry {
    std::array<std::uint8_t, 32> content{};
    bool is_answered = false;
    response answer;
    std::size_t bytes = 0;
  };

  void forget_oldest();

  limits limits_;
  std::mutex mutex_;
  std::map<std::string, entry, std::less<>> entries_;
  std::deque<std::pair<time, std::string>> answered_; ///< the oldest first
  std::size_t bytes_ = 0;
};

} // namespace convene::server
