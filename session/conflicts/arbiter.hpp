#pragma once

#include <convene/protocol/events/workspace_event.hpp>
#include <convene/session/actions/action_book.hpp>
#include <convene/session/conflicts/claim_book.hpp>
#include <convene/session/conflicts/open_conflict.hpp>
#include <convene/session/conflicts/permission.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/requests/request_table.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/membership.hpp>

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// What became of an answer to a question about a conflict.
enum class answer_kind : std::uint8_t {
  no_question, ///< it answers something else
  too_late,    ///< its conflict is settled; the sender has been told
  counted,     ///< others have still to answer
  settled,     ///< and with it the last open conflict
};

/// What the participants of a session share, and who may change it. Guarantees:
/// - a write changes the workspace only if its turn, its role and the claims of
///   others allow it, and it is based on the current version or wins a
///   conflict;
/// - each conflict is on the log as detected, and once as resolved;
/// - whoever loses a write or a claim is told;
/// - while others decide about a conflict, its resource does not change, and an
///   end of the session that was `hold`ed waits.
class arbiter {
public:
  /// All must outlive it. It notes accepted writes and asks questions in
  /// `requests`, closes the actions of questions that are over, writes the
  /// steps of `plan`, and changes nothing else there.
  arbiter(const membership& who, journal& log, request_table& requests,
          action_book& actions, plan_runner& plan, workspace& shared)
    : who_(&who), log_(&log), requests_(&requests), actions_(&actions),
      plan_(&plan), resources_(&shared) {}

  /// The session starts, with the scenario's resources.
  void open();

  [[nodiscard]] const workspace& resources() const noexcept {
    return *resources_;
  }
  void show_again(const workspace_view& earlier) {
    resources_->show_again(earlier);
  }

  // writes.cpp
  /// The writes of a reply to the sender's open request.
  void take_writes(participant_index from, const protocol::reply& reply,
                   bool completed);
  /// They go with claims that were not taken.
  void drop_writes(participant_index from, const protocol::reply& reply);
  /// One write; it counts, is refused, or is the start of a conflict.
  void attempt(const writing& by, const protocol::resource_write& what);

  // claims.cpp
  /// The claims of a reply to the sender's open request. False: the reply takes
  /// all or nothing, and took nothing.
  [[nodiscard]] bool take_claims(participant_index from,
                                 const protocol::reply& reply);
  void attempt(const writing& by, const protocol::claim& what);
  /// Claims go with a turn that is handed on, as far as the receiver may write.
  void pass_claims(participant_index from, participant_index to,
                   const open_request& held);
  void end_claims_of(participant_index lost);
  void expire_claims() {
    if (claims_.size() != 0)
      end_expired_claims();
  }

  // rulings.cpp
  /// Puts a conflict on the log and resolves it against `by`. `other`: against
  /// whom, or nobody.
  void reject(const writing& by, const protocol::resource_write& what,
              std::string_view kind, participant_index other,
              std::string_view reason);
  void reject(const writing& by, const protocol::claim& what,
              std::string_view kind, participant_index other,
              std::string_view reason);
  /// Writes in a reply to a request that gives no right to write.
  void refuse_writes(participant_index from, const protocol::uuid& token,
                     const protocol::reply& reply,
                     participant_index turn_holder);

  // votes.cpp
  /// An answer to any request; the reply is normalised if it is to a question.
  [[nodiscard]] answer_kind
  take_answer(participant_index from, const protocol::uuid& token,
              protocol::reply& reply, participant_index turn_holder) {
    return conflicts_.empty() && closed_questions_.empty()
             ? answer_kind::no_question
             : find_question(from, token, reply, turn_holder);
  }
  /// Whether the participant has a question open with this token.
  [[nodiscard]] bool asks(participant_index who,
                          const protocol::uuid& token) const noexcept;
  /// Decides about conflicts whose time is over. True: the last one is settled.
  [[nodiscard]] bool expire_conflicts();
  /// A lost participant votes no more. True: the last conflict is settled.
  [[nodiscard]] bool lose_voter(participant_index who);
  /// Settles all in favour of the current version.
  void close_conflicts(std::string_view reason);
  [[nodiscard]] bool is_settled() const noexcept {
    return conflicts_.empty();
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
  deadline(protocol::timestamp_ms next) const;

  /// For snapshots. What roles may write follows from the scenario.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, requests, actions, plan, resources, allowed, claims,
           producers, conflicts, closed, held_end]
      = x;
    f("resources", *resources);
    f("claims", claims);
    f("producers", producers);
    f("conflicts", conflicts);
    f("closed_questions", closed);
    f("held_end", held_end);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view why_unsound() const;

private:
  // writes.cpp
  [[nodiscard]] writing writing_of(participant_index from) const;
  void accept(const writing& by, const protocol::resource_write& what,
              const written& made, const protocol::uuid& conflict,
              std::uint64_t replaced = 0);
  void refuse_write(const writing& by, const protocol::resource_write& what,
                    const protocol::error& why);
  /// Who has an open turn that names it, other than `who`.
  [[nodiscard]] participant_index other_naming(participant_index who,
                                               const resource_name& what) const;
  [[nodiscard]] bool is_written(const resource_name& what) const;
  [[nodiscard]] std::pair<protocol::node_change, protocol::graph_delta>
  note_in_graph(const resource_name& what, step_index by, bool was_written,
                bool deletes);

  // step_writes.cpp
  [[nodiscard]] bool is_of_task(participant_index who,
                                const resource_name& what) const;
  [[nodiscard]] step_index step_of(const protocol::resource_write& what) const;
  [[nodiscard]] bool admits_step(const writing& by,
                                 const protocol::resource_write& what);
  [[nodiscard]] resource_version seen_at(const protocol::resource_write& what,
                                         const resource_version& kept) const;
  [[nodiscard]] bool still_fits(const protocol::resource_write& what,
                                const resource_version& seen,
                                written& made) const;
  [[nodiscard]] protocol::result<written>
  make(const protocol::resource_write& what,
       const resource_version& seen) const;

  // claims.cpp
  struct claim_fault;
  [[nodiscard]] std::optional<claim_fault>
  why_no_claim(const writing& by, const protocol::claim& what,
               std::size_t claims_before);
  [[nodiscard]] bool can_take_all(const writing& by,
                                  const protocol::reply& reply);
  void refuse_claim(const writing& by, const protocol::claim& what,
                    const claim_fault& why);
  void carry_out(const writing& by, const protocol::claim& what);
  [[nodiscard]] participant_index
  receiver_of(const writing& by, const protocol::claim& what) const;
  void log_claim(const writing& by, const protocol::claim& what,
                 protocol::claim_event event);
  [[nodiscard]] protocol::timestamp_ms claim_end() const;
  void end_claim(const resource_key& what, std::string_view reason);
  void end_expired_claims();
  void pass_claim(const resource_key& what, participant_index from,
                  participant_index to, const open_request& held);

  // rulings.cpp
  void clash_with(const writing& by, const protocol::resource_write& what);
  void conclude(const protocol::uuid& conflict, const writing& by,
                const protocol::resource_write& what,
                const write_conflict& found, const written& made,
                const resolution& ruled,
                std::span<const protocol::vote_cast> votes = {});
  [[nodiscard]] protocol::uuid
  detect(const writing& by, const protocol::resource_write& what,
         std::string_view kind, std::span<const author> others,
         std::span<const participant_index> asked = {});
  [[nodiscard]] std::int64_t rank_of(participant_index who) const;
  [[nodiscard]] std::int64_t rank_of(std::span<const author> all) const;
  void tell_lost(const writing& by, const protocol::resource_write& what,
                 std::string_view why);

  // votes.cpp
  [[nodiscard]] std::vector<participant_index>
  electorate(conflict_strategy how, const writing& by,
             const write_conflict& found) const;
  [[nodiscard]] resolution
  find_deciders(resolution ruled, const writing& by,
                const write_conflict& found,
                std::vector<participant_index>& who) const;
  void put_question(open_conflict& about,
                    std::span<const participant_index> to);
  [[nodiscard]] bool is_disputed(const resource_name& what) const;
  [[nodiscard]] answer_kind
  find_question(participant_index from, const protocol::uuid& token,
                protocol::reply& reply, participant_index turn_holder);
  void log_answer(std::string_view what, participant_index who,
                  const protocol::uuid& token, const protocol::reply& reply);
  void count_vote(open_conflict& about, participant_index who,
                  const protocol::reply& reply);
  void settle_votes(std::size_t at, bool over);
  void close_conflict(std::size_t at, resolution ruled);
  void close_question(const question& what, std::string_view reason);

  const membership* who_;
  journal* log_;
  request_table* requests_;
  action_book* actions_;
  plan_runner* plan_;
  workspace* resources_;
  permissions allowed_;
  claim_book claims_;
  /// The steps whose turns wrote a resource, as long as it is there.
  std::map<resource_key, std::vector<step_index>> producers_;
  std::vector<open_conflict> conflicts_; ///< by detection
  /// The latest closed questions: an answer to one is late, not a violation.
  std::vector<question> closed_questions_;
  /// The policy's end of the session, until the last conflict is settled.
  std::optional<complete> held_end_;
};

} // namespace convene::session
