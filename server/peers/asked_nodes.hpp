#pragma once

#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/server/peers/merged_lists.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace convene::server {

/// One request to several nodes at once, until all have answered or one answer
/// is enough. Thread-safe.
class asked_nodes : public std::enable_shared_from_this<asked_nodes> {
public:
  struct call {
    std::string node;
    host::http_request what;
  };
  using when_ended = std::function<void(std::vector<node_answer>)>;

  /// `then` gets the answers, once; an empty `is_enough` means that all are
  /// awaited. Both are called on the threads of the calls.
  explicit asked_nodes(when_ended then,
                       std::function<bool(const node_answer&)> is_enough = {});

  /// `known` are answers of nodes that are not called. To be called once.
  void begin(host::http_client* by, std::vector<call> calls,
             std::vector<node_answer> known);

  /// Ends the calls; `then` is not called any more.
  void cancel();

private:
  void take(node_answer one);
  void end_calls();

  const when_ended then_;
  const std::function<bool(const node_answer&)> is_enough_;

  std::mutex mutex_; ///< guards what follows
  std::vector<node_answer> answers_;
  std::vector<host::http_client::cancel_function> cancels_;
  std::size_t awaited_ = 0;
  bool is_over_ = false;
};

} // namespace convene::server
