#pragma once

#include <convene/actors/behaviours/live_turn.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace convene::c_api {

/// An action that the host carries out. Thread-safe.
class host_action {
public:
  /// Begins it in this turn.
  [[nodiscard]] static std::shared_ptr<host_action>
  begin(actors::live_turn& in, protocol::action what);

  host_action(const host_action&) = delete;
  host_action& operator=(const host_action&) = delete;

  /// What came next: a code of convene.h, and for CONVENE_OK {"attempt"}, once,
  /// or {"result"}, any number of times.
  struct step {
    int code;
    protocol::json::object shown;
  };

  /// Waits for at most `limit_ms`, below 0 without limit.
  [[nodiscard]] step next(std::int64_t limit_ms);

  /// Ends the attempt. False: it has ended, or its turn has. Nothing: none has
  /// begun.
  [[nodiscard]] std::optional<bool> end(protocol::action_result how);

  /// Fails the attempt as action_dropped unless it has ended, also if it begins
  /// later.
  void drop();

private:
  /// What the turn keeps until it has the result, or is over.
  struct listener;

  host_action() = default;
  actors::cancel_function attempt(const actors::attempt& which,
                                  actors::when_acted then);
  void finish(std::optional<protocol::action_result> with);

  std::mutex mutex_;
  std::condition_variable news_;
  std::optional<actors::action_responder> attempt_; ///< guarded by mutex
  std::optional<protocol::action_result> result_;   ///< likewise
  bool is_shown_ = false;   ///< the attempt was returned; likewise
  bool is_over_ = false;    ///< the turn has dropped it; likewise
  bool is_dropped_ = false; ///< the host has; likewise
};

} // namespace convene::c_api
