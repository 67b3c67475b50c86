#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/server/run_callbacks/callback_counts.hpp>
#include <convene/server/run_callbacks/callback_files.hpp>
#include <convene/server/run_callbacks/url_caller.hpp>
#include <convene/server/runs/alarms.hpp>
#include <convene/server/runs/run_host.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

struct run_callback_options {
  std::filesystem::path folder; ///< of the calls that are owed
  host::permissions allow;      ///< whom the server may reach
  std::string secret;     ///< by which calls are signed; empty: they are not
  std::string public_url; ///< of the server; empty: calls name paths alone
  /// How long after each attempt that failed, but may succeed later, the next
  /// one is made; after the last of them there is none.
  std::vector<std::chrono::milliseconds> pauses = pauses_between_calls();
};

/// Calls those who want to know that a run has ended (OpenWOP's `callbackUrl`),
/// at least once, also after a restart. Whom it does not reach within its
/// attempts, or for a day after the run's end, is not called any more: the
/// diagnostics say so. Thread-safe.
class run_callbacks {
public:
  /// Errors are those of the folder.
  [[nodiscard]] static protocol::result<std::shared_ptr<run_callbacks>>
  open(run_callback_options how);

  ~run_callbacks();
  run_callbacks(const run_callbacks&) = delete;
  run_callbacks& operator=(const run_callbacks&) = delete;

  /// Whether a URL may be called. Rules: `url_invalid`, `scheme_refused`,
  /// `callback_url_bytes_max`, and `permission_needed`, which says with which
  /// flags the server is to be started.
  [[nodiscard]] protocol::result<void> check(std::string_view url) const {
    return caller_.check(url);
  }

  /// Somebody is to be told of a run that is about to begin. `then` is called
  /// once that is on disk, on a thread of its own, where it must not block.
  /// Rule `callbacks_max` if as many are owed as may be.
  void expect(const protocol::uuid& run, std::string url,
              std::function<void(protocol::result<void>)> then);

  /// The run has not begun after all.
  void forget(const protocol::uuid& run);

  /// The run has ended, which is durable. Cheap for one that nobody waits for.
  void ended(const protocol::uuid& run);

  /// Goes on with what was owed before; what was owed to a run that never began
  /// is forgotten once this returns. The runs are looked at from now on until
  /// `stop`. Nobody may start any meanwhile.
  void begin(run_host& runs);

  /// Calls nobody any more; what is owed then is for the next `open`.
  void stop();

  [[nodiscard]] callback_counts counts() const;

  static constexpr std::size_t callbacks_max = 10'000;

private:
  struct owed {
    std::string url;
    std::size_t attempts = 0;
    bool is_called = false; ///< a call is under way, or the next one is set
  };

  run_callbacks(run_callback_options how, callback_files files);

  void call(const protocol::uuid& run);
  void answered(const protocol::uuid& run, const host::http_answer& what);
  void settle(const protocol::uuid& run,
              std::uint64_t callback_counts::*as = nullptr);
  [[nodiscard]] host::http_request
  make_call(const std::string& url, const run_row& of,
            const std::string& last_event) const;

  const run_callback_options how_;
  const callback_files files_; ///< for the thread of the alarms
  mutable std::mutex mutex_;   ///< guards what follows
  std::map<protocol::uuid, owed> owed_;
  callback_counts counts_;   ///< but for those in `owed_`
  run_host* runs_ = nullptr; ///< null: they are not there yet, or any more
  url_caller caller_;        ///< its calls are for the alarms' thread
  alarms alarms_;            ///< its thread is stopped before the rest goes
};

} // namespace convene::server
