#pragma once

#include <convene/session/actions/action_book.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/conflicts/open_conflict.hpp>
#include <convene/session/requests/request_table.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace convene::session {

/// An answer to a question about a conflict.
enum class answer_kind : std::uint8_t {
  no_question, ///< it answers something else
  too_late,    ///< its conflict is settled; the sender has been told
  counted,     ///< others have still to answer
  settled,     ///< and with it the last open conflict
};

/// The conflicts that participants are asked about, and the questions.
/// Guarantees:
/// - those who have a part in a conflict are never asked about it;
/// - a question is answered at most once, and closed with its conflict;
/// - a conflict is settled by a majority, when its last voter is gone, or when
///   its time is over, and then is no longer open.
class open_conflicts {
public:
  /// All must outlive it. It takes the numbers of questions from `requests`,
  /// closes the actions of questions that are over, and changes nothing else.
  open_conflicts(const membership& who, journal& log, request_table& requests,
                 action_book& actions, const workspace& shared,
                 dispute_log& disputes)
    : who_(&who), log_(&log), requests_(&requests), actions_(&actions),
      resources_(&shared), disputes_(&disputes) {}

  [[nodiscard]] bool empty() const noexcept {
    return conflicts_.empty();
  }
  [[nodiscard]] bool is_disputed(const resource_name& what) const;
  /// Whether the participant has a question open with this token.
  [[nodiscard]] bool asks(participant_index who,
                          const protocol::uuid& token) const noexcept;
  /// `next`, or when a conflict expires before that.
  [[nodiscard]] protocol::timestamp_ms
  deadline(protocol::timestamp_ms next) const;

  /// Asks `deciders` about one more.
  void open(open_conflict&& about, std::span<const participant_index> deciders);

  /// Whether anybody was ever asked, as far as is remembered.
  [[nodiscard]] bool has_questions() const noexcept {
    return !conflicts_.empty() || !closed_.empty();
  }
  /// An answer to any request; the reply is normalised if it is to a question.
  /// `settled`: the conflict that it decides.
  [[nodiscard]] answer_kind
  take_answer(participant_index from, const protocol::uuid& token,
              protocol::reply& reply, participant_index turn_holder,
              std::optional<settled_conflict>& settled);

  // For loops over all conflicts: each call settles the next one, from place
  // `at` on, and moves `at` there.
  /// One whose time is over.
  [[nodiscard]] std::optional<settled_conflict> next_expired(std::size_t& at);
  /// One that `lost` had a vote in, who votes no more.
  [[nodiscard]] std::optional<settled_conflict>
  next_without(participant_index lost, std::size_t& at);
  /// Any, in favour of the current version.
  [[nodiscard]] std::optional<settled_conflict>
  next_closed(std::string_view reason);

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, requests, actions, resources, disputes, conflicts, closed]
      = x;
    f("conflicts", conflicts);
    f("closed_questions", closed);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view why_unsound() const;

private:
  void ask(open_conflict& about, std::span<const participant_index> deciders);
  void log_answer(const open_conflict& about, const question& answered,
                  const protocol::reply& reply);
  void count_vote(open_conflict& about, participant_index who,
                  const protocol::reply& reply);
  [[nodiscard]] resolution outcome_of(const open_conflict& about) const;
  [[nodiscard]] std::optional<settled_conflict> settle_votes(std::size_t at,
                                                             bool over);
  [[nodiscard]] settled_conflict take(std::size_t at, resolution ruled);
  void close(const question& what, std::string_view reason);
  void withdraw(std::vector<question> all, std::string_view reason);

  const membership* who_;
  journal* log_;
  request_table* requests_;
  action_book* actions_;
  const workspace* resources_;
  dispute_log* disputes_;
  std::vector<open_conflict> conflicts_; ///< by detection
  /// The latest closed questions: an answer to one is late, not a violation.
  std::vector<question> closed_;
};

} // namespace convene::session
