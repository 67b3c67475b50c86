#pragma once

#include <convene/bindings/c/open_settings.hpp>
#include <convene/bindings/c/session_watch.hpp>
#include <convene/bindings/c/text_feeds.hpp>
#include <convene/runtime/request_queue.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace convene::c_api {

/// A session and what is known of it.
struct watched_session {
  session_handle handle;
  std::shared_ptr<session_watch> watch;
};

/// A runtime with the queue of the requests that the host answers: what all
/// handles of the C API share, so that they may be freed in any order.
/// Thread-safe.
class hub {
public:
  [[nodiscard]] static result<std::shared_ptr<hub>>
  open(const open_settings& how);

  hub(const hub&) = delete;
  hub& operator=(const hub&) = delete;
  ~hub();

  /// As convene_start says.
  [[nodiscard]] result<watched_session>
  start(protocol::json::object scenario,
        const std::vector<std::string>& participants);

  /// One that the log had, and that had not ended.
  [[nodiscard]] result<watched_session> recovered(const std::string& id) const;
  [[nodiscard]] protocol::json::object recovery_summary() const;

  /// Cancels the sessions and closes the log, once.
  [[nodiscard]] result<void> close();

  [[nodiscard]] result<subscription> subscribe(subscription_options how) {
    return runtime_->subscribe(std::move(how));
  }

  /// Who gets text that models and participants stream.
  [[nodiscard]] text_feeds& texts() const noexcept {
    return *texts_;
  }

  [[nodiscard]] request_queue& requests() const noexcept {
    return *requests_;
  }

  [[nodiscard]] bool is_virtual() const noexcept {
    return seed_.has_value();
  }

private:
  hub(std::shared_ptr<request_queue> requests,
      std::optional<std::uint64_t> seed)
    : requests_{std::move(requests)}, seed_{seed} {}

  const std::shared_ptr<request_queue> requests_;
  const std::shared_ptr<text_feeds> texts_ = std::make_shared<text_feeds>();
  const std::optional<std::uint64_t> seed_;
  std::unique_ptr<runtime> runtime_;
  std::map<std::string, std::shared_ptr<session_watch>> watches_; ///< by id
  std::mutex mutex_;
  bool is_closed_ = false; ///< guarded by mutex
};

} // namespace convene::c_api
