#pragma once

#include <convene/protocol/base/boxed.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/plan/plan_book.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/spec/role_index.hpp>
#include <convene/session/workspace/workspace.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// What a scenario has of its plan.
struct planned_work {
  protocol::boxed<protocol::plan> plan;
  protocol::boxed<protocol::confirm> confirm;
  std::vector<protocol::task> tasks;
};

/// What a step was before participants wrote it.
struct step_before {
  std::string description;
  protocol::step_status status = protocol::step_status::pending;
  /// The version that last changed the status; 0: none did.
  std::uint64_t status_version = 0;

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [description, status, status_version] = x;
    f("description", description);
    f("status", status);
    f("status_version", status_version);
  }
};

/// The plan of a session, from its opening to its end. Guarantees:
/// - every change of the plan's and of a step's status is on the log;
/// - steps run only in a plan that is approved, by a Confirm that says how;
/// - a step that participants wrote is in the workspace as the plan has it;
/// - once `finish` was called, the plan is closed and so are its steps in
///   progress.
class plan_runner {
public:
  /// All must outlive it.
  plan_runner(planned_work work, const membership& who, journal& log,
              workspace& shared)
    : work_(std::move(work)), who_(&who), log_(&log), shared_(&shared),
      roles_(who.scenario()) {}

  /// The session starts. `required`: without plan or tasks, its task becomes
  /// the plan's step.
  void open(bool required);

  /// Before that: what the scenario has of its plan.
  [[nodiscard]] const planned_work& given() const noexcept {
    return work_;
  }

  /// Whether steps become turns.
  [[nodiscard]] bool drives() const noexcept {
    return drives_;
  }
  /// Empty: there is no plan.
  [[nodiscard]] const plan_book& book() const noexcept {
    return own_book_ ? *own_book_ : no_book();
  }
  [[nodiscard]] const protocol::plan* document() const noexcept {
    return own_book_ && own_book_->size() != 0 ? &own_book_->document()
                                               : nullptr;
  }
  [[nodiscard]] const protocol::boxed<protocol::confirm>&
  confirm() const noexcept {
    return work_.confirm;
  }
  [[nodiscard]] bool is_ready(step_index step) const;
  /// A ready step that `who` may take along: its own, nobody's, or one of
  /// somebody who cannot act.
  [[nodiscard]] step_index step_for(participant_index who) const;
  /// The id of a step; empty for none.
  [[nodiscard]] std::string_view step_id(step_index step) const {
    return step == no_step ? std::string_view{}
                           : std::string_view{book().step(step).step_id};
  }
  [[nodiscard]] std::string_view plan_id(step_index of) const {
    return of == no_step ? std::string_view{}
                         : std::string_view{book().document().plan_id};
  }

  /// The plan is in progress from now on.
  void start(std::string_view reason);
  /// New steps; each with a role is assigned to somebody who has it.
  void add_tasks(std::vector<protocol::task>&& tasks);
  void assign(step_index step, participant_index to) {
    own_book().assign(step, to);
  }

  /// A turn on a ready step begins. The changes are for `log`.
  [[nodiscard]] step_changes begin(step_index step);
  void log(const step_changes& changes, std::string_view reason);
  /// Ends a ready step without a turn.
  void close(step_index step, protocol::step_status as,
             std::string_view reason);
  /// A turn of `who` on it closed: a completed one completes it, one that was
  /// handed on changes nothing, any other makes it ready again.
  void end_turn(step_index step, participant_index who, turn_status status);
  /// A turn on it will not be; no attempt is counted. None: nothing.
  void release(step_index step);

  // step_writes.cpp: steps as resources of type `plan_step`
  /// The step as a write on `version` saw it; `kept`: that version, if the
  /// workspace has it.
  [[nodiscard]] resource_version seen_at(step_index step, std::uint64_t version,
                                         const resource_version& kept) const;
  /// Makes what a write on `seen` made of the step its whole new value, or
  /// refuses it: `step_value`, `step_transition`.
  [[nodiscard]] protocol::result<void>
  judge(step_index step, const resource& seen, json::value& made) const;
  /// A write of the step is on the log.
  void take_write(step_index step, const resource& now);
  /// For loaded snapshots: why steps and workspace cannot be so; empty: they
  /// can.
  [[nodiscard]] std::string_view why_unsound() const;

  /// The session ends.
  void finish();

  /// An input that created the plan is undone: there is none.
  void forget();

  /// Plan and Confirm as they are now; nothing else may be called after.
  [[nodiscard]] planned_work take_work() noexcept {
    work_.plan.reset();
    if (book().size() != 0)
      work_.plan = own_book().release();
    return std::move(work_);
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [work, who, log, shared, roles, book, written, drives] = x;
    if constexpr (F::loads)
      f("plan", x.own_book());
    else
      f("plan", x.book());
    f("plan_written", written);
    f("plan_drives", drives);
    f("confirm", work.confirm);
    if constexpr (F::loads) {
      // Went at the start.
      work.plan.reset();
      work.tasks.clear();
      if (!drives && book->size() == 0)
        book.reset();
    }
  }

private:
  [[nodiscard]] static const plan_book& no_book();
  [[nodiscard]] plan_book& own_book() {
    return own_book_ ? *own_book_ : own_book_.emplace();
  }
  void approve();
  void create(std::vector<protocol::task>& tasks);
  void add(protocol::plan_step step);
  void set_status(protocol::plan_status to, std::string_view reason);
  void show(step_index step, protocol::step_status status);

  planned_work work_; ///< plan and tasks: until the start
  const membership* who_;
  journal* log_;
  workspace* shared_;
  role_index roles_;
  protocol::boxed<plan_book> own_book_; ///< most sessions have no plan
  std::map<step_index, step_before> written_;
  bool drives_ = false;
};

} // namespace convene::session
