#pragma once

#include <convene/actors/behaviours/acting.hpp>
#include <convene/actors/behaviours/turn_link.hpp>
#include <convene/protocol/base/shared_value.hpp>
#include <convene/protocol/json/known_secrets.hpp>
#include <convene/session/requests/recorded_action.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace convene::actors {

/// Who sees to it that an attempt takes no longer than its action's
/// `timeout_ms`.
enum class attempt_end : std::uint8_t {
  by_itself,
  by_timer, ///< the turn's link, if it has a clock
};

/// The actions of one live turn. Guarantees:
/// - an attempt begins only when the session has let it, and its end is sent
///   before the result is passed on;
/// - what is recorded as completed is not begun again, nor is what is not
///   repeatable and has an unknown outcome;
/// - large arguments and outputs are kept beside the log before it names them;
/// - once it is over, everything under way has been cancelled and nothing
///   begins.
/// Thread-safe; calls nobody while it holds its lock.
class turn_actions : public std::enable_shared_from_this<turn_actions> {
public:
  using clock = std::chrono::steady_clock;
  using recorded = protocol::shared_value<session::recorded_actions>;

  /// `token` is that of the request, in which nothing can be done after `end`;
  /// `receiver` is added to it in idempotency keys. `trace` may be empty.
  turn_actions(std::shared_ptr<turn_link> link, const protocol::uuid& token,
               const std::string& receiver, recorded before,
               clock::time_point end, attempt_tracer trace = {});

  /// As `live_turn::act` says.
  void act(protocol::action what, retry_policy retry, attempt_function how,
           when_acted then, attempt_end limit = attempt_end::by_itself);

  /// From now on, what attempts result in is masked. Null: nothing is.
  void mask(std::shared_ptr<const protocol::known_secrets> secrets);

  /// Has `call` told what the session says of attempts, instead of this:
  /// another process makes them. An empty code: it may begin. Before any of it.
  using relay_function = std::function<void(const std::string& position,
                                            std::string_view refused_code)>;
  void relay_to(relay_function call);

  /// What the log has of the request's actions.
  [[nodiscard]] const recorded& before() const noexcept {
    return before_;
  }

  /// From the session: the attempt at this position may begin, or not.
  void started(const std::string& position);
  void refused(const std::string& position, std::string_view code);
  /// What was to be called later: with the run of an attempt its time is over,
  /// with 0 the next one is due.
  void due(const std::string& position, std::uint64_t run);

  /// Nobody waits for any of it: cancels it all.
  void over();

private:
  struct work {
    protocol::action what;
    std::int64_t timeout_ms = 0;
    std::string question;
    std::string idempotency_key;
    retry_policy retry;
    attempt_end limit = attempt_end::by_itself;
    attempt_function how;
    when_acted then;
    std::uint32_t attempt = 1;
    std::uint64_t run = 0; ///< which attempt is under way; 0: none
    cancel_function cancel;
  };
  using all_work = std::map<std::string, work>;

  void try_again(const std::string& position);
  void time_out(const std::string& position, std::uint64_t run);
  [[nodiscard]] std::optional<protocol::action_result>
  known_result(work& of) const;
  /// Begins it, unless what is known of it settles it.
  void add(work next);
  void recall(protocol::action_result known, const when_acted& then);
  void tell_unless_over(const when_acted& then, protocol::action_result result);
  [[nodiscard]] bool is_under_way(const std::string& position,
                                  std::uint64_t run) const;
  void ended(const std::string& position, std::uint64_t run,
             protocol::action_result result);
  /// `output` is that of the result if the log has only a reference to it.
  void record(const std::string& position, std::uint64_t run,
              protocol::action_result result,
              const std::shared_ptr<protocol::json::value>& output);
  [[nodiscard]] std::optional<std::int64_t>
  delay_before_next(const work& of, const protocol::action_result& last,
                    std::int64_t retry_after_ms) const;
  /// The action's place in the session.
  [[nodiscard]] std::string place_of(const std::string& position) const;
  [[nodiscard]] std::string key_of(const work& of) const;
  [[nodiscard]] std::int64_t left_ms() const;
  [[nodiscard]] relay_function relay() const;

  const std::shared_ptr<turn_link> link_;
  const recorded before_;
  /// Of the request in which its actions began, and the receiver.
  const std::string token_;
  const clock::time_point end_;
  const attempt_tracer trace_;
  mutable std::mutex mutex_;
  all_work open_; ///< guarded by mutex, like the rest
  std::size_t attempts_ = 0;
  std::uint64_t runs_ = 0;
  std::shared_ptr<const protocol::known_secrets> secrets_;
  relay_function relay_;
  bool over_ = false;
};

} // namespace convene::actors
