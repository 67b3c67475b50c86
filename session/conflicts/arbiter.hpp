#pragma once

#include <convene/session/conflicts/claim_ledger.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/conflicts/open_conflicts.hpp>
#include <convene/session/conflicts/permission.hpp>
#include <convene/session/conflicts/step_writes.hpp>
#include <convene/session/conflicts/write_ledger.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace convene::session {

/// What the participants of a session share, and who may change it: judges
/// writes, and joins the parts that do the rest. Guarantees:
/// - a write changes the workspace only if its turn, its role and the claims of
///   others allow it, and it is based on the current version or wins a
///   conflict;
/// - while others decide about a conflict, its resource does not change, and an
///   end of the session that was `hold`ed waits.
class arbiter {
public:
  /// All must outlive it. What it changes in them is what its parts do.
  arbiter(const membership& who, journal& log, request_table& requests,
          action_book& actions, plan_runner& plan, workspace& shared)
    : who_(&who), log_(&log), requests_(&requests), resources_(&shared),
      disputes_(who, log, shared),
      claims_(who, log, shared, allowed_, disputes_),
      steps_(who, requests, plan), writes_(who, log, requests, plan, shared),
      open_(who, log, requests, actions, shared, disputes_) {}

  // Its parts refer to each other.
  arbiter(const arbiter&) = delete;
  arbiter& operator=(const arbiter&) = delete;

  /// The session starts, with the scenario's resources.
  void open();

  [[nodiscard]] const workspace& resources() const noexcept {
    return *resources_;
  }
  void show_again(const workspace_view& earlier) {
    resources_->show_again(earlier);
  }
  [[nodiscard]] dispute_log& disputes() noexcept {
    return disputes_;
  }
  [[nodiscard]] claim_ledger& claims() noexcept {
    return claims_;
  }

  // Of a reply to the sender's open request:
  /// its claims, and its writes if it got them;
  void take_claims_and_writes(participant_index from,
                              const protocol::reply& reply, bool completed);
  /// its writes alone.
  void take_writes(participant_index from, const protocol::reply& reply,
                   bool completed);
  /// One write; it counts, is refused, or is the start of a conflict.
  void attempt(const writing& by, const protocol::resource_write& what);
  void attempt(const writing& by, const protocol::claim& what) {
    claims_.attempt(by, what);
  }

  /// An answer to any request; the reply is normalised if it is to a question.
  [[nodiscard]] answer_kind
  take_answer(participant_index from, const protocol::uuid& token,
              protocol::reply& reply, participant_index turn_holder) {
    return open_.has_questions()
             ? find_question(from, token, reply, turn_holder)
             : answer_kind::no_question;
  }
  /// Whether the participant has a question open with this token.
  [[nodiscard]] bool asks(participant_index who,
                          const protocol::uuid& token) const noexcept {
    return open_.asks(who, token);
  }
  /// Decides about conflicts whose time is over. True: the last one is settled.
  [[nodiscard]] bool expire_conflicts();
  /// A lost participant votes no more. True: the last conflict is settled.
  [[nodiscard]] bool lose_voter(participant_index who);
  /// Settles all in favour of the current version.
  void close_conflicts(std::string_view reason);
  [[nodiscard]] bool is_settled() const noexcept {
    return open_.empty();
  }

  /// An end of the session waits until the last conflict is settled.
  void hold(complete&& end) {
    held_end_ = std::move(end);
  }
  [[nodiscard]] bool holds_end() const noexcept {
    return held_end_.has_value();
  }
  [[nodiscard]] std::optional<complete> take_held() noexcept {
    return std::exchange(held_end_, std::nullopt);
  }

  /// `next`, or when a conflict or a claim expires before that.
  [[nodiscard]] protocol::timestamp_ms
  deadline(protocol::timestamp_ms next) const {
    return claims_.deadline(open_.deadline(next));
  }

  /// For snapshots. What roles may write follows from the scenario.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, requests, resources, allowed, disputes, claims, steps,
           writes, open, held_end]
      = x;
    f("resources", *resources);
    claim_ledger::fields(claims, f);
    write_ledger::fields(writes, f);
    open_conflicts::fields(open, f);
    f("held_end", held_end);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view why_unsound() const {
    return open_.why_unsound();
  }

private:
  [[nodiscard]] writing writing_of(participant_index from) const;
  [[nodiscard]] std::optional<objection>
  why_not(const writing& by, const protocol::resource_write& what);
  [[nodiscard]] participant_index other_naming(participant_index who,
                                               const resource_name& what) const;
  [[nodiscard]] protocol::result<void> check_room(const resource_name& what,
                                                  const written& made) const;
  void contest(const writing& by, const protocol::resource_write& what);
  void conclude(const protocol::uuid& conflict, const writing& by,
                const protocol::resource_write& what,
                const write_conflict& found, const written& made,
                const resolution& ruled,
                std::span<const protocol::vote_cast> votes = {});
  void conclude(settled_conflict&& settled);
  void accept(const writing& by, const protocol::resource_write& what,
              const written& made, const won_conflict& won = {});
  [[nodiscard]] answer_kind
  find_question(participant_index from, const protocol::uuid& token,
                protocol::reply& reply, participant_index turn_holder);

  const membership* who_;
  journal* log_;
  request_table* requests_;
  workspace* resources_;
  permissions allowed_;
  dispute_log disputes_;
  claim_ledger claims_;
  step_writes steps_;
  write_ledger writes_;
  open_conflicts open_;
  /// The policy's end of the session, until the last conflict is settled.
  std::optional<complete> held_end_;
};

} // namespace convene::session
