#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// How the last attempt of a call ended.
struct call_failure {
  std::string code;
  int status = 0; ///< of HTTP; 0: none arrived

  bool operator==(const call_failure&) const = default;
};

/// What the models of one session have in common, so that a server that cannot
/// answer is noticed once, not in each turn. Thread-safe.
class session_models {
public:
  /// This participant is answered by a model with these settings.
  void join(const std::string& participant, const llm_settings& settings);

  /// How often to try a call of this server: once if nobody was there the last
  /// time, after all retries.
  [[nodiscard]] std::int64_t attempts_at(std::string_view base_url,
                                         std::int64_t retries) const;

  void note_answer(std::string_view base_url);

  /// A call has failed after its retries.
  void note_failure(std::string_view base_url, const call_failure& why);

  /// A participant's first call has failed for good. True, once: no call of
  /// the session has been answered, and each participant's first call failed
  /// like this one or goes to the same servers, which would refuse it alike.
  [[nodiscard]] bool is_hopeless(const actors::turn_request& asked,
                                 const call_failure& why);

private:
  struct server {
    std::string base_url;
    std::string model;
    std::string key; ///< name of the variable
  };
  struct member {
    std::vector<server> servers; ///< in the order in which they are called
    std::optional<call_failure> failed;
  };

  [[nodiscard]] static bool shares_fate(const member& one, const member& other,
                                        const call_failure& why);

  mutable std::mutex mutex_;
  std::map<std::string, member, std::less<>> members_;
  std::set<std::string, std::less<>> down_; ///< base URLs
  bool is_answered_ = false;
  bool is_told_ = false;
};

} // namespace convene::host
