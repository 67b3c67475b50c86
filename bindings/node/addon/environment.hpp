#pragma once

#include "lane.hpp"
#include "runtime_handle.hpp"

#include <node_api.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace convene::node {

/// What the addon has in one environment of Node: the main thread or a worker.
/// Only `deliver` may be called by threads other than that of its JavaScript.
class environment {
public:
  /// `make_error` is a function that makes an Error of a JSON text.
  static void set_up(napi_env env, napi_value make_error);

  /// Nothing before `set_up`.
  [[nodiscard]] static environment& of(napi_env env);

  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment();

  /// Has the thread of JavaScript call `what`, or destroy it if the environment
  /// ends before.
  void deliver(std::function<void(napi_env)> what);

  /// While there is a hold, the event loop does not end.
  void hold(napi_env env);
  void release(napi_env env);

  /// A lane that `close_all` stops and joins.
  [[nodiscard]] std::shared_ptr<lane> make_lane();

  void add(const std::shared_ptr<runtime_handle>& opened);

  /// Closes all runtimes and ends all threads; no runtime is opened after that.
  void close_all();

  [[nodiscard]] bool is_over() const noexcept {
    return is_over_;
  }

  [[nodiscard]] napi_value error_of(napi_env env, const std::string& json);

private:
  environment() = default;

  napi_threadsafe_function deliveries_ = nullptr;
  napi_ref make_error_ = nullptr;
  int holds_ = 0;
  bool is_over_ = false;
  std::list<std::shared_ptr<lane>> lanes_;
  std::vector<std::weak_ptr<runtime_handle>> runtimes_;
};

} // namespace convene::node
