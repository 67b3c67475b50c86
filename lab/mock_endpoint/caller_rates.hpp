#pragma once

#include <convene/lab/mock_model/profile.hpp>
#include <convene/lab/mock_model/prompt.hpp>
#include <convene/protocol/base/token_bucket.hpp>
#include <convene/server/http/response.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// What each caller has used of a model's limits. Thread-safe.
class caller_rates {
public:
  using time = protocol::token_bucket::time;
  using headers = std::vector<std::pair<std::string, std::string>>;

  /// Callers beyond it, of all models, share one account for each model of the
  /// profile.
  static constexpr std::size_t callers_max = 10'000;

  struct verdict {
    bool is_taken = true;
    std::string exceeded; ///< "requests" or "tokens", if it is not
    std::chrono::milliseconds wait{};
    headers told; ///< the provider's own, of what is left
  };

  /// A request of so many tokens of a model whose name is `model`; the tokens
  /// of the answer are added by `spend`. `wall_ms` is the time since 1970.
  /// `limits` stand for the profile's model: they stay where they are.
  [[nodiscard]] verdict take(const host::mock::rate_limits& limits,
                             host::mock::wire_form form, std::string_view model,
                             std::string_view caller, std::int64_t tokens,
                             time now, std::int64_t wall_ms);

  void spend(const host::mock::rate_limits& limits, std::string_view model,
             std::string_view caller, std::int64_t tokens);

private:
  struct account {
    protocol::token_bucket requests;
    protocol::token_bucket tokens;
  };

  [[nodiscard]] account& account_of(const host::mock::rate_limits& limits,
                                    std::string_view model,
                                    std::string_view caller);

  std::mutex mutex_;
  std::map<std::string, account, std::less<>> accounts_;
};

} // namespace convene::server
