#pragma once

#include <boost/json/object.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/server/a2a/push_book.hpp>
#include <convene/server/a2a/task_index.hpp>
#include <convene/server/run_callbacks/url_caller.hpp>
#include <convene/server/runs/alarms.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

struct push_options {
  std::filesystem::path folder; ///< of the configs
  host::permissions allow;      ///< whom the server may reach
  std::string secret; ///< by which calls are signed; empty: they are not
  /// As those of run_callbacks.
  std::vector<std::chrono::milliseconds> pauses = pauses_between_calls();
};

/// Calls clients when tasks change (A2A's push notifications): for each change
/// in its order, at least once, also after a restart, until the task's end was
/// delivered or a call has failed for good. Thread-safe.
class push_desk : public std::enable_shared_from_this<push_desk> {
public:
  /// Errors are those of the folder.
  [[nodiscard]] static protocol::result<std::shared_ptr<push_desk>>
  open(push_options how);

  ~push_desk();
  push_desk(const push_desk&) = delete;
  push_desk& operator=(const push_desk&) = delete;

  /// Whether any host may be called.
  [[nodiscard]] bool is_offered() const {
    return caller_.reaches_any();
  }

  /// Whether a URL may be called; rules are those of `url_caller`.
  [[nodiscard]] protocol::result<void> check(std::string_view url) const {
    return caller_.check(url);
  }

  /// Delivers the updates behind `what.delivered`; replaces a config with the
  /// same id. `then` is called once the config is on disk, on the desk's
  /// thread, where it must not block. Rules are those of `push_book::put`.
  void put(const std::string& task, push_config what,
           std::function<void(protocol::result<void>)> then);

  [[nodiscard]] std::vector<push_config> of(const std::string& task) const;

  /// `then` as above.
  void remove(const std::string& task, const std::string& id,
              std::function<void()> then);

  /// The task is unknown from now on.
  void forget(const std::string& task);

  /// A task has changed, which is durable. Cheap for one without configs.
  void changed(std::string_view task);

  /// Delivers what is left from before: looks at tasks from now on until
  /// `stop`. Forgets tasks that never began.
  void begin(session_host& host,
             const std::shared_ptr<const task_index>& tasks);

  /// Makes no calls any more.
  void stop();

private:
  push_desk(push_options how, private_folder files);

  void soon(std::function<void()> then);
  void look_at(const std::string& task);
  void look(const std::string& task, std::uint64_t number);
  void look_later(const std::string& task, std::uint64_t number,
                  std::chrono::milliseconds pause);
  void show_end(const task_view& of, std::uint64_t number);
  void call(const std::string& task, std::uint64_t number,
            const boost::json::object& what, std::size_t place);
  void answered(const std::string& task, std::uint64_t number,
                std::size_t place, const host::http_answer& what);
  void end(const std::string& task, std::uint64_t number);
  void save(const std::string& task);

  const push_options how_;
  push_book book_;
  // For the alarms' thread:
  session_host* host_ = nullptr; ///< null: not yet
  std::shared_ptr<const task_index> tasks_;
  /// Attempts of the configs whose next call is being made, or set.
  std::map<std::uint64_t, std::size_t> under_way_;
  url_caller caller_;
  alarms alarms_; ///< its thread is stopped before the rest goes
};

} // namespace convene::server
