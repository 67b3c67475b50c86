#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/participants/reply_desk.hpp>
#include <convene/server/sessions/closed_questions.hpp>
#include <convene/server/sessions/event_feed.hpp>
#include <convene/server/sessions/question_subjects.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// Whose questions somebody sees; empty members do not restrict.
struct question_filter {
  std::string session_id;
  std::string participant;

  [[nodiscard]] bool takes(const std::string& session,
                           const std::string& who) const {
    return (session_id.empty() || session_id == session)
           && (participant.empty() || participant == who);
  }
};

/// What became of an answer.
struct answer_outcome {
  enum class kind : std::uint8_t {
    accepted,           ///< it closed the request, durably
    duplicate,          ///< the same answer did before
    answered_otherwise, ///< another answer did
    over,               ///< `how` says what closed the request without one
    refused,            ///< `why` it is no answer; the request stays open
    ambiguous,          ///< several people have requests of this token
    unknown,            ///< there is no such request, or it is forgotten
    stopping,           ///< the host goes before that is known
  };

  kind what = kind::unknown;
  std::string session_id = {};
  std::string participant = {};
  std::string how = {};
  protocol::error why = {};
};

/// Somebody's answer to the request of this token.
struct given_answer {
  std::string token;
  question_filter whose;
  protocol::reply reply;
  /// Whether it is an answer to the request; must not block.
  std::function<protocol::result<void>(const actors::turn_request&,
                                       const protocol::reply&)>
    check;
  /// Called once, on any thread, when the outcome is durable.
  std::function<void(const answer_outcome&)> then;
};

/// The open questions of all sessions to people and external systems, who
/// answer when they like. A question is shown once what led to it is durable,
/// and an answer counts once it is; both survive the process, under the same
/// token. Thread-safe.
class question_board final
  : public host::reply_desk,
    public std::enable_shared_from_this<question_board> {
public:
  using clock = std::chrono::steady_clock;

  /// `appended` says how many events of a session were logged so far;
  /// `public_url` is where systems reach the server, or empty.
  question_board(std::shared_ptr<event_feed> feed,
                 std::function<std::uint64_t(const std::string&)> appended,
                 std::string public_url = {})
    : feed_{std::move(feed)}, appended_{std::move(appended)},
      public_url_{std::move(public_url)} {}

  void ask(actors::turn_request asked) override;
  void expect(actors::turn_request asked) override;
  void show(const actors::turn_request& asked) override;
  [[nodiscard]] std::string
  reply_url(const actors::turn_request& asked) const override;

  /// What the log says.
  void note(const request_change& what);

  /// Another node of a cluster has the session: forgets its questions. Answers
  /// that wait are to be given there (`stopping`).
  void let_go(const std::string& session_id);

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
  /// false: that is so already. After `expires` the call may be left out.
  [[nodiscard]] bool when_asked(const question_filter& whose,
                                std::function<void()> then,
                                clock::time_point expires);

  /// An answer to a request that is open by the log, and that nobody was asked
  /// yet since the host began, waits until somebody is.
  void answer(given_answer what);

private:
  struct question {
    std::shared_ptr<const actors::turn_request> asked;
    std::uint64_t number = 0;       ///< in the order of asking
    std::uint64_t visible_from = 0; ///< that many events are durable
    bool is_listed = true;          ///< for those who look for questions
    std::string answer;             ///< its digest; empty: none yet
    bool is_given = true;           ///< false: whether it counts is not known
    std::optional<closed_question> logged_as; ///< until that is known
    std::vector<std::function<void(const answer_outcome&)>> then;
  };
  /// A request that is open by the log.
  struct logged {
    std::string session_id;
    std::vector<given_answer> early; ///< before somebody was asked
  };
  struct waiter {
    question_filter whose;
    std::function<void()> then;
    clock::time_point expires;
  };
  /// What is to be done without the lock.
  struct calls {
    std::vector<
      std::pair<std::function<void(const answer_outcome&)>, answer_outcome>>
      outcomes;
    std::vector<given_answer> again;
  };
  using questions = std::map<question_key, question>;

  /// By which answers are the same.
  [[nodiscard]] static std::string digest_of(const protocol::reply& reply);
  [[nodiscard]] bool is_visible(const question_key& which,
                                const question& one) const;
  [[nodiscard]] bool is_open_to(const question_filter& whose,
                                const questions::value_type& each) const;
  void add(actors::turn_request asked, bool is_listed);
  void withdraw(const question_key& which, std::uint64_t number);
  void take(questions::iterator at, closed_question as, calls& due);
  void close(const question_key& which, closed_question as,
             const protocol::reply* reply, calls& due);
  void close_session(const request_change& what, calls& due);
  void close_subject(const request_change& what, calls& due);
  void close_token(const request_change& what, calls& due);
  void make(calls&& due);
  /// The live turn to answer; null: `due` has the outcome, or it waits.
  /// Whoever gives it the answer calls `settle`.
  [[nodiscard]] std::shared_ptr<const actors::turn_request>
  place(given_answer& what, const std::string& digest, calls& due);
  /// Whether the turn took the answer that was placed.
  void settle(const actors::turn_request& asked, bool is_taken, calls& due);

  const std::shared_ptr<event_feed> feed_;
  const std::function<std::uint64_t(const std::string&)> appended_;
  const std::string public_url_;

  mutable std::mutex mutex_; ///< guards what follows
  questions open_;
  std::map<question_key, logged> logged_;
  closed_questions closed_;
  question_subjects subjects_;
  std::vector<waiter> waiters_;
  std::uint64_t last_number_ = 0;
  bool stopping_ = false;
};

} // namespace convene::server
