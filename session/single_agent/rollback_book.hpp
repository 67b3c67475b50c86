#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/session/single_agent/run_stages.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// How a compensation stands. Of one that is `unknown` nobody knows whether it
/// took place: it is not run again unless somebody decides so.
enum class compensation_status : std::uint8_t {
  pending,
  completed,
  failed,
  unknown
};

} // namespace convene::session

namespace convene::protocol {

inline constexpr std::array<std::string_view, 4> compensation_status_words{
  "pending", "completed", "failed", "unknown"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::compensation_status>{compensation_status_words};

} // namespace convene::protocol

namespace convene::session {

/// The step that is to be undone, and how that stands.
struct compensation {
  std::string step_id;
  std::string agent_role;
  std::string description;
  compensation_status status = compensation_status::pending;
  step_failure failure = {};
};

/// A rollback that was planned.
struct rollback {
  std::string compensation_id;
  std::string to; ///< the stage
  /// In the order in which they are run: the last step that was completed
  /// first.
  std::vector<compensation> compensations;
  std::size_t attempt = 0; ///< the latest that runs them, from 1; 0: none
  bool has_failed = false; ///< the attempt ended, and not all are completed
  bool graph_told = false;

  [[nodiscard]] bool compensated() const;
};

/// The rollbacks of one run, by the events of its rollback.jsonl. Refuses an
/// event that cannot follow: rules `rollback_event` (a member is missing or
/// wrong), `rollback_order` (planned, compensations, graph, executed),
/// `rollback_steps` (a plan is not of the completed steps behind its stage, the
/// last one first) and `compensation_once`.
class rollback_book {
public:
  /// `of` must outlive it.
  explicit rollback_book(const run_stages& of)
    : of_(of), place_(of.end_place()) {}

  [[nodiscard]] protocol::result<void> feed(const boost::json::object& event);

  /// What was planned and is not executed; null: nothing.
  [[nodiscard]] const rollback* open() const noexcept {
    return open_ ? &*open_ : nullptr;
  }
  /// The compensation of the open rollback that ends next; null: there is none.
  [[nodiscard]] const compensation* next() const;
  /// The place of the stage at which the run stands, by the rollbacks that were
  /// executed.
  [[nodiscard]] std::size_t place() const noexcept {
    return place_;
  }
  [[nodiscard]] std::size_t planned() const noexcept {
    return planned_;
  }
  [[nodiscard]] std::size_t attempts() const noexcept {
    return attempts_;
  }
  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  /// Of the last event; empty: there was none.
  [[nodiscard]] const std::string& time() const noexcept {
    return time_;
  }

private:
  protocol::result<void> plan(const boost::json::object& payload);
  protocol::result<void> take_ended(const boost::json::object& payload);
  protocol::result<void> take_failed(const boost::json::object& payload);
  protocol::result<void> take_continued(const boost::json::object& payload);
  protocol::result<void> change_graph(const boost::json::object& payload);
  protocol::result<void> execute(const boost::json::object& payload);

  const run_stages& of_;
  std::optional<rollback> open_;
  std::size_t next_ = 0; ///< compensations of it before this are completed
  std::size_t place_;
  std::size_t planned_ = 0;
  std::size_t attempts_ = 0;
  std::uint64_t events_ = 0;
  std::string time_;
};

/// The next rollback of a run, to an earlier stage than the one at which it
/// stands.
[[nodiscard]] rollback next_rollback(const run_stages& of,
                                     const rollback_book& book, std::string to);

/// What undoes the steps that were completed before the place `from` and after
/// the stage at the place `to`, the last one first; steps without a
/// compensation are left out.
[[nodiscard]] std::vector<compensation>
compensations_for(const run_stages& of, std::size_t from, std::size_t to);

/// The steps among these that nothing undoes.
[[nodiscard]] std::vector<std::string>
without_compensation(const run_stages& of, std::size_t from, std::size_t to);

/// How a compensation ended in the run that made an attempt at it; nothing: it
/// was never begun there.
[[nodiscard]] std::optional<compensation> outcome_of(const compensation& which,
                                                     const run_stages& attempt);

/// The steps that a rollback_continued counts as undone.
[[nodiscard]] std::vector<std::string>
settled_in(const boost::json::object& event);

/// The folder of an attempt, below that of the run.
[[nodiscard]] std::string attempt_folder(std::size_t attempt);

// The events of a rollback (docs/rollback.md), without ids and times.
[[nodiscard]] boost::json::object
rollback_planned(const rollback& what, const run_stages& of, std::size_t from,
                 std::string_view reason);
/// `settled`: steps of unknown outcome whose compensation counts as completed.
[[nodiscard]] boost::json::object
rollback_continued(const rollback& what, std::size_t attempt,
                   const std::vector<std::string>& settled);
[[nodiscard]] boost::json::object compensation_ended(const rollback& what,
                                                     const compensation& which);
[[nodiscard]] boost::json::object rollback_failed(const rollback& what);
[[nodiscard]] boost::json::object rollback_executed(const rollback& what,
                                                    std::size_t files);

} // namespace convene::session
