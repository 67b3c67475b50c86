#pragma once

#include <boost/container/small_vector.hpp>
#include <convene/protocol/lifecycle/status.hpp>
#include <convene/session/plan/ready_groups.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace convene::session {

/// What the session knows about a step besides its document.
struct step_state {
  participant_index assigned = no_participant; ///< none: it fits anyone
  std::uint32_t attempts = 0;                  ///< turns it has had
  bool live = false; ///< a turn on it is open; it may be closed already
  std::vector<participant_index> declined_by;
  /// What its turn may write, by id or `type/id`; empty: anything. No two steps
  /// that name the same have a turn at once.
  std::vector<std::string> resources;
};

/// A step's change of status, for the log.
struct step_change {
  step_index step = no_step;
  protocol::step_status from = protocol::step_status::pending;
  protocol::step_status to = protocol::step_status::pending;
};

/// Mostly one or two.
using step_changes = boost::container::small_vector<step_change, 2>;

/// A plan during execution: which steps can run, which no longer can. Statuses
/// change along the protocol's step lifecycle only; every change is appended to
/// the caller's list. The plan must have passed `protocol::check_plan`. Not
/// thread-safe, not even for readers.
class plan_book {
public:
  plan_book() = default;
  explicit plan_book(protocol::plan what);

  [[nodiscard]] const protocol::plan& document() const noexcept {
    return plan_;
  }
  /// Moves the document out; nothing else may be called after.
  [[nodiscard]] protocol::plan release() noexcept {
    return std::move(plan_);
  }
  void set_status(protocol::plan_status status) noexcept {
    protocol::change_status(plan_.status, status);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return states_.size();
  }
  [[nodiscard]] const protocol::plan_step& step(step_index i) const {
    return plan_.steps[i];
  }
  [[nodiscard]] const step_state& state(step_index i) const {
    return states_[i];
  }
  void describe(step_index i, std::string description) {
    plan_.steps[i].description = std::move(description);
  }
  /// Whether a step that it depends on is not completed.
  [[nodiscard]] bool waits(step_index i) const {
    return i < waits_for_.size() && waits_for_[i] != 0;
  }
  void assign(step_index i, participant_index to);

  /// What the step touches, before it has a turn.
  void name_resources(step_index i, std::vector<std::string> names);

  /// Steps that can be dispatched now, in the order of the plan: by
  /// order_index, then by position. Once one has begun, those that name a
  /// resource of its are not, until its turn is over.
  [[nodiscard]] const std::deque<step_index>& ready() const noexcept {
    return ready_;
  }
  /// The same steps by their kinds; kept from the first time on that somebody
  /// asks.
  [[nodiscard]] const ready_groups& groups() const;
  [[nodiscard]] step_index find(const std::string& step_id) const;
  /// The first of the step's resources that another step's turn holds; null:
  /// none.
  [[nodiscard]] const std::string* held_resource(step_index i) const;

  /// Whether a step with a turn names the resource.
  [[nodiscard]] bool is_held(std::string_view type, std::string_view id) const;

  /// Steps that are pending or in progress.
  [[nodiscard]] std::size_t open() const noexcept {
    return open_;
  }
  /// Steps that failed or are blocked by one that did.
  [[nodiscard]] std::size_t failed() const noexcept {
    return failed_;
  }

  /// Propagates failed and skipped steps of the given document to those that
  /// wait for them. Once, before anything else.
  void settle(step_changes& out);

  /// A turn on a ready step starts.
  void begin(step_index i, step_changes& out);

  /// The turn on it ended without a result: it is ready again. `counts`:
  /// whether the attempt counts.
  void release(step_index i, bool counts);
  void note_decline(step_index i, participant_index who) {
    states_[i].declined_by.push_back(who);
  }

  /// Ends a step as completed, failed or skipped. A failure blocks the steps
  /// that wait for it, a skip skips them.
  void close(step_index i, protocol::step_status as, step_changes& out);

  /// Moves a step along its lifecycle, with what follows for others. A turn on
  /// it stays open. The lifecycle must have the move.
  void move(step_index i, protocol::step_status to, step_changes& out);

  /// Adds a step that waits for nothing.
  step_index add(protocol::plan_step step);

  /// For a book of a document moved out of another one, with the states it had
  /// there. False: no book could have them.
  [[nodiscard]] bool restore(std::vector<step_state> states);

private:
  [[nodiscard]] const std::unordered_map<std::string, step_index>&
  index() const;
  void note_dependencies(step_index i);
  [[nodiscard]] std::span<const step_index> dependants(step_index of) const {
    return of < dependants_.size() ? std::span{dependants_[of]}
                                   : std::span<const step_index>{};
  }
  void set(step_index i, protocol::step_status to, step_changes& out);
  void spread(step_index from, protocol::step_status to, step_changes& out);
  void make_ready(step_index i);
  void note_ready(step_index i);
  void note_dropped(step_index i);
  bool drop_ready(step_index i);
  void hold_resources(step_index i);
  void free_resources(step_index i);
  [[nodiscard]] bool before(step_index a, step_index b) const;

  protocol::plan plan_;
  std::vector<step_state> states_;
  // Empty where no step depends on another, and without steps added later.
  std::vector<std::uint32_t> waits_for_; ///< unfinished dependencies
  std::vector<std::vector<step_index>> dependants_;
  std::deque<step_index> ready_; ///< steps mostly leave at the front
  mutable std::optional<ready_groups> groups_; ///< of `ready_`
  std::set<std::string, std::less<>> held_;    ///< resources, by live steps
  std::vector<step_index> waiting_; ///< ready but for a resource that is held
  /// Of the steps that were there when somebody last asked.
  mutable std::unordered_map<std::string, step_index> by_id_;
  std::size_t open_ = 0;
  std::size_t failed_ = 0;
};

} // namespace convene::session
