#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/participants/people.hpp>
#include <convene/server/sessions/event_feed.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::server {

/// Whose questions somebody sees; empty members do not restrict.
struct question_filter {
  std::string session_id;
  std::string participant;
};

/// What became of an answer.
struct answer_outcome {
  enum class kind : std::uint8_t {
    accepted,           ///< it closed the request, durably
    duplicate,          ///< the same answer did before
    answered_otherwise, ///< another answer did
    over,               ///< `how` says what closed the request without one
    unknown,            ///< there is no such request, or it is forgotten
    stopping,           ///< the host goes before that is known
  };

  kind what = kind::unknown;
  std::string session_id;
  std::string participant;
  std::string how;
};

/// The open questions of all sessions to people, who answer when they like. A
/// question is shown once what led to it is durable, and an answer counts once
/// it is; both survive the process, under the same token. Thread-safe.
class question_board final
  : public host::people,
    public std::enable_shared_from_this<question_board> {
public:
  using clock = std::chrono::steady_clock;

  /// `appended` says how many events of a session were logged so far.
  question_board(std::shared_ptr<event_feed> feed,
                 std::function<std::uint64_t(const std::string&)> appended)
    : feed_{std::move(feed)}, appended_{std::move(appended)} {}

  void ask(actors::turn_request asked) override;

  /// What the log says.
  void close(const closed_request& what);

  /// More is durable: calls those who wait for what can be shown now.
  void advance();

  /// The host goes: everybody who waits is called.
  void stop();

  struct list {
    std::vector<std::shared_ptr<const actors::turn_request>> open;
    bool more = false; ///< than `limit`
  };

  /// Those that are open, in the order in which they were asked.
  [[nodiscard]] list open(const question_filter& whose,
                          std::size_t limit) const;

  /// Calls `then` once somebody of these is asked something, on any thread;
  /// false: that is so already.
  [[nodiscard]] bool when_asked(const question_filter& whose,
                                std::function<void()> then,
                                clock::time_point expires);

  /// The open question of this token; several if it is one to many, and `whose`
  /// does not say whom.
  [[nodiscard]] std::vector<std::shared_ptr<const actors::turn_request>>
  find(const std::string& token, const question_filter& whose) const;

  /// Answers the question to the participant whom `whose` names, or the only
  /// one. `then` is called once, on any thread, when the outcome is durable.
  void answer(const std::string& token, const question_filter& whose,
              protocol::reply reply, std::function<void(answer_outcome)> then);

  /// How many closed questions are remembered.
  static constexpr std::size_t closed_max = 100'000;

private:
  using key = std::pair<std::string, std::string>; ///< token, participant

  struct question {
    std::shared_ptr<const actors::turn_request> asked;
    std::uint64_t number = 0;       ///< in the order of asking
    std::uint64_t visible_from = 0; ///< that many events are durable
    std::string answer;             ///< its digest; empty: none yet
    std::vector<std::function<void(answer_outcome)>> then;
  };
  struct closed {
    std::string session_id;
    std::string answer; ///< digest; empty: there was none
    std::string how;
  };
  struct waiter {
    question_filter whose;
    std::function<void()> then;
    clock::time_point expires;
  };
  struct calls {
    std::vector<std::function<void(answer_outcome)>> then;
    answer_outcome outcome;
  };

  [[nodiscard]] bool is_visible(const question& one) const;
  void withdraw(const key& which, std::uint64_t number);
  calls take(std::map<key, question>::iterator at, closed as);
  void remember(const key& which, closed as);

  const std::shared_ptr<event_feed> feed_;
  const std::function<std::uint64_t(const std::string&)> appended_;

  mutable std::mutex mutex_; ///< guards what follows
  std::map<key, question> open_;
  std::map<key, closed> closed_;
  std::deque<key> closed_order_;
  std::vector<waiter> waiters_;
  std::uint64_t last_number_ = 0;
  bool stopping_ = false;
};

} // namespace convene::server
