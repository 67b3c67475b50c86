#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/server/participants/other_nodes.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace convene::server {

/// Where a participant is on another node.
struct remote_place {
  other_nodes::reached_node node;
  std::string participant; ///< its id there
  std::string key;         ///< 64 digits; never shown
};

/// A call of another node, which answers at once or is silent for seconds.
[[nodiscard]] host::http_request
call_of(const other_nodes::reached_node& node, std::string method,
        const std::string& path, std::string body);

/// A turn that another node answers. What it says counts only if it proves that
/// it is about this turn. Thread-safe.
class remote_turn : public std::enable_shared_from_this<remote_turn> {
public:
  /// `asked.live` is set.
  remote_turn(std::shared_ptr<other_nodes> by, actors::turn_request asked);

  [[nodiscard]] const actors::turn_request& asked() const noexcept {
    return asked_;
  }

  /// Has it answered there. `not_begun` is called instead, if nothing of it
  /// was done there, with the reason; `lost` if the node is lost before its
  /// answer, which has failed the turn.
  void begin_at(const remote_place& where,
                std::function<void(std::string)> not_begun,
                std::function<void()> lost);

  void fail(std::string code, std::string message);

  /// For who looks for a place: the nodes that it did not work with.
  std::set<std::string> without;
  std::size_t tries = 0;
  std::string last_reason;

private:
  [[nodiscard]] bool hear(std::string_view data);
  [[nodiscard]] protocol::result<void> take(std::string_view line);
  [[nodiscard]] protocol::result<void>
  follow(const protocol::json::object& what);
  [[nodiscard]] protocol::result<void>
  begin_action(const protocol::json::object& what);
  [[nodiscard]] protocol::result<void>
  end_action(const protocol::json::object& what);
  void ended(const host::http_answer& how,
             const std::function<void(std::string)>& not_begun,
             const std::function<void()>& lost);
  void notice(const std::string& position, std::string_view refused_code);
  void cancel();

  const std::shared_ptr<other_nodes> by_;
  const actors::turn_request asked_;
  remote_place where_; ///< set before the call begins
  std::string held_;   ///< the beginning of a line; the loop thread's
  std::size_t heard_ = 0;
  std::uint64_t lines_ = 0;
  bool is_answered_ = false;
  bool is_wrong_ = false;

  std::mutex mutex_; ///< guards what follows
  host::http_client::cancel_function cancel_;
  std::uint64_t notices_ = 0;
  bool is_cancelled_ = false;
};

} // namespace convene::server
