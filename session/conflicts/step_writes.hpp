#pragma once

#include <convene/session/conflicts/objection.hpp>
#include <convene/session/conflicts/writing.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/requests/request_table.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/workspace/write.hpp>

#include <optional>

namespace convene::session {

/// What a plan allows to be written: its steps, and the resources that the
/// tasks of its steps name. Changes nothing. Guarantees:
/// - a turn on a step whose task names resources writes only those, and the
///   step; a turn that was handed off all that no step with an open turn names;
/// - while a turn works on a step, no other participant writes it;
/// - a step becomes only what its plan allows.
class step_writes {
public:
  /// All must outlive it.
  step_writes(const membership& who, const request_table& requests,
              const plan_runner& plan)
    : who_(&who), requests_(&requests), plan_(&plan) {}

  /// Whether the open request of `who` may write this. A turn with resources of
  /// its own is not judged here.
  [[nodiscard]] bool is_of_task(participant_index who,
                                const resource_name& what) const;
  /// The step that is written, or `no_step`.
  [[nodiscard]] step_index step_of(const protocol::resource_write& what) const;
  /// Why a step may not be written; absent: it may, or it is no step.
  [[nodiscard]] std::optional<objection>
  why_not(participant_index who, const protocol::resource_write& what) const;

  /// What the writer of a step saw as its base version, else `stored`.
  [[nodiscard]] resource_version seen_at(const protocol::resource_write& what,
                                         const resource_version& stored) const;
  /// The result of a write on what its writer saw.
  [[nodiscard]] protocol::result<written>
  make(const protocol::resource_write& what,
       const resource_version& seen) const;
  /// Whether the result of `make` may still be written; completes it then.
  [[nodiscard]] bool still_fits(const protocol::resource_write& what,
                                const resource_version& seen,
                                written& made) const;

private:
  const membership* who_;
  const request_table* requests_;
  const plan_runner* plan_;
};

} // namespace convene::session
