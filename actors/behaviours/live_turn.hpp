#pragma once

#include <convene/actors/behaviours/executor.hpp>
#include <convene/actors/behaviours/turn_actions.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/requests/request.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace convene::actors {

/// The request that a behaviour is working on outside of its participant's
/// actor: allows writes, claims and actions before the answer, and tells when
/// the answer is no longer awaited. Thread-safe; may outlive its session.
class live_turn {
public:
  /// Sends writes and claims to the session; called on any thread.
  using sender = std::function<void(protocol::reply)>;

  /// The most writes and claims that one request may send before its answer.
  static constexpr std::size_t attempts_max = 256;

  /// The request `asked` of `self`, which closes in `left_ms` from now at the
  /// latest. `trace` may be empty.
  CONVENE_API live_turn(std::shared_ptr<turn_link> link,
                        session::participant_index self,
                        const session::request& asked, std::int64_t left_ms,
                        attempt_tracer trace = {});

  /// Without a session: all is sent by `send`, answers too; actions begin at
  /// once, are tried again at once, and are on no log.
  CONVENE_API explicit live_turn(sender send);

  live_turn(const live_turn&) = delete;
  live_turn& operator=(const live_turn&) = delete;

  /// Writes or claims a resource during the turn, under the rules of the
  /// session. Does not wait: the log and the next request show the outcome.
  /// False: the request is over or answered, or `attempts_max` is exceeded;
  /// nothing was sent.
  CONVENE_API bool write(protocol::resource_write what);
  CONVENE_API bool claim(protocol::claim what);

  /// Answers the request of a behaviour that `answers_later`. False: it is over
  /// or already answered; nothing was sent. Open actions are cancelled.
  CONVENE_API bool answer(protocol::reply what);

  /// Ends the session as cancelled, because no participant can continue it.
  /// Also after the answer.
  CONVENE_API void cancel_session(std::string reason);

  /// Does `what` by `how`, unless the log has its result from before a crash or
  /// suspension: then `then` gets that. Each attempt is on the log when it
  /// begins and when it ends. `then` is called once, on any thread, unless the
  /// turn is over before; also when the action was never begun: with the codes
  /// - `outcome_unknown`: it had begun, and what came of it is not on the log;
  /// - `action_changed`: the log has another action at this position;
  /// - `budget_exhausted`: the session's budget is used up;
  /// - `actions_max`, `actions_bytes_max`: the turn has had `actions_max`
  ///   actions, or 64 MiB of arguments and outputs;
  /// - `action_bytes_max`, `action_depth_max`: arguments or output are larger
  ///   than 64 MiB (1 MiB without a log) or nest deeper than 64;
  /// - `blob_not_written`: they are too large for the log, and could not be
  ///   kept beside it;
  /// - `blob_missing`, `blob_corrupt`, `blob_unreadable`: the output is on the
  ///   log, and what is beside it is gone or damaged;
  /// - `action_open`, `attempt_out_of_order`: the first here is open, or ended;
  /// - `attempt_threw`: `how` threw.
  CONVENE_API void act(protocol::action what, retry_policy retry,
                       attempt_function how, when_acted then);

  /// Does `arguments` by an executor of the application, under the rules above.
  /// `position` is the action's place in the turn, like "1" or "2.0": the same
  /// each time that the turn is done, and another one for each action.
  CONVENE_API void act(const executor& by, std::string position,
                       protocol::json::value arguments, when_acted then);

  /// The same for a function that may block: waits for the result; `cancelled`
  /// with the code `turn_over` if the turn is over before. Not to be called
  /// where a result arrives, nor by an agent that answers later.
  [[nodiscard]] CONVENE_API protocol::action_result
  act_and_wait(const executor& by, std::string position,
               protocol::json::value arguments);

  /// The most actions of one request, repeated attempts included.
  static constexpr std::size_t actions_max = session::actions_max;

  /// Whether the request was closed before its answer: it timed out, or the
  /// session ended or was suspended.
  [[nodiscard]] CONVENE_API bool is_over() const;

  /// Calls `then` once as soon as `is_over`, on any thread; immediately if it
  /// already is. `then` must not block or throw. Returns a number for `forget`.
  CONVENE_API std::size_t when_over(std::function<void()> then);

  /// Cancels the `when_over` callback of this number.
  CONVENE_API void forget(std::size_t number);

  /// From now on, secrets are masked in all that is written, claimed and
  /// answered, and in what actions result in. To be called before any of it.
  CONVENE_API void mask(std::shared_ptr<const protocol::known_secrets> secrets);

  /// For the participant: the request was closed or has been answered.
  CONVENE_API void close();
  CONVENE_API void finish();
  /// For a participant that another process answers for: reaches the session
  /// without this turn's own actions.
  [[nodiscard]] turn_link& link() const noexcept {
    return *link_;
  }
  /// For the participant: what the session says of its actions.
  [[nodiscard]] turn_actions& actions() const noexcept {
    return *actions_;
  }

private:
  bool attempt(protocol::reply what);

  const std::shared_ptr<turn_link> link_;
  const std::shared_ptr<turn_actions> actions_;
  mutable std::mutex mutex_;
  std::size_t attempts_ = 0; ///< guarded by mutex, like the rest
  bool over_ = false;
  bool answered_ = false;
  std::size_t last_number_ = 0;
  std::shared_ptr<const protocol::known_secrets> secrets_;
  std::map<std::size_t, std::function<void()>> then_;
};

} // namespace convene::actors
