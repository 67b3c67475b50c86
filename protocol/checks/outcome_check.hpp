#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// The rules about what participants do outside and what comes of it, in one
/// session's log:
/// - actions_match_behaviour: an action is one that the participant's behaviour
///   makes: the scenario's model, program or tool, with its arguments; a tool
///   that a model calls is one of the calls in the model's answer
/// - usage_matches_output: what a call of a model used is what its answer says
/// - replies_match_actions: a reply is the one that the participant's behaviour
///   makes of the outputs of its actions
/// - approvals_given: a call that a person approves by the scenario's `approve`
///   begins only after exactly this call was approved
/// - digests_match: the digest of an action's end is that of the action and its
///   result, and is there if MAPSessionStarted has one of the scenario
/// What is in blobs is not looked at, nor are behaviours of other types; but
/// digests are those of any action, and cover the names of blobs.
class outcome_check {
public:
  void feed(const checked_event& e);

  /// Whether the end of an action had no digest to compare, as in logs of
  /// earlier versions.
  [[nodiscard]] bool lacks_digests() const noexcept {
    return lacks_digests_;
  }

private:
  struct seen_action {
    std::string kind;
    json::object asked;  ///< in the form that digests cover
    json::object result; ///< empty: its participant has not said how it ended
  };
  using actions = std::map<std::string, seen_action, std::less<>>;
  using request = std::pair<std::string, std::string>; ///< participant, token

  void begin(const checked_event& e);
  void end(const checked_event& e);
  void check_digest(const checked_event& e, const json::object& asked);
  void close(const checked_event& e, std::string_view who,
             std::string_view token);
  void check_called(const checked_event& e, std::string_view position,
                    const json::object& call) const;
  [[nodiscard]] std::string question_fault(const checked_event& e,
                                           std::string_view call) const;
  void check_approved(const checked_event& e) const;
  [[nodiscard]] bool is_approved(const request& of,
                                 const checked_event& e) const;
  void suspend();
  /// What is open when a fork begins is not repeatable from then on.
  void bar_repeats();

  /// An action of a request, or of the suspended one before it; null: neither.
  [[nodiscard]] const seen_action* find(const request& of,
                                        std::string_view position) const;
  /// The position at which a round's model was called last, of a request;
  /// empty: it was not.
  [[nodiscard]] std::string last_asked(const request& of,
                                       const std::string& round) const;
  /// The output of one that completed, if it is an object and no blob.
  [[nodiscard]] const json::object* output_of(const request& of,
                                              std::string_view position) const;

  void check_answered(const checked_event& e, const request& of,
                      const json::object& behaviour,
                      const json::object& reply) const;
  void check_spoken(const checked_event& e, const request& of,
                    const json::object& behaviour,
                    const json::object& reply) const;

  std::map<request, actions> open_;
  std::map<std::string, actions, std::less<>> left_; ///< by participant
  /// What open turns are about, by token.
  std::map<std::string, std::string, std::less<>> tasks_;
  bool lacks_digests_ = false;
};

} // namespace convene::protocol
