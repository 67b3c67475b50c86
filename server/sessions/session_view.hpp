#pragma once

#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// A session as its events so far make it, computed by its own machine. Costs
/// as much as the events that are new.
class session_view {
public:
  explicit session_view(std::string id) : replay_{std::move(id)} {}

  /// The session's next event.
  void feed(std::string_view line);

  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }

  /// Why the rest is not known, as the log's events are not what this program
  /// makes of its inputs: `replay_diverged` or `rules_unsupported`.
  [[nodiscard]] std::optional<protocol::error> fault() const;

  /// The protocol's TurnState: {current_turn_holder, turn_order, turn_index,
  /// turn_started_at, turn_number, open_turns}, of one turn: the open one with
  /// the highest number, or if none is open the latest, which has no holder.
  /// Null: no participant has had a turn. Several may be open: `open_turns` has
  /// all of them, in the order of their numbers.
  [[nodiscard]] protocol::json::object turn_state() const;

  /// The scenario as it was resolved.
  [[nodiscard]] const protocol::json::object& scenario() const noexcept {
    return scenario_;
  }

  /// As they stand. Without a fault, and after the first event.
  [[nodiscard]] protocol::json::object workspace() const;
  [[nodiscard]] protocol::json::object dialog() const;
  [[nodiscard]] protocol::json::object collab() const;
  [[nodiscard]] protocol::json::object context() const;
  /// Empty: there is none.
  [[nodiscard]] std::optional<protocol::json::object> plan() const;

  /// What the session leaves; null until it has ended.
  [[nodiscard]] const host::session_documents* documents() const noexcept {
    return documents_ ? &*documents_ : nullptr;
  }

private:
  struct turn {
    std::int64_t number = 0;
    std::string participant;
    std::string started_at;
  };

  void follow_turns(std::string_view line);
  [[nodiscard]] const session::machine& machine() const;

  host::session_replay replay_;
  host::trace_builder trace_;
  std::uint64_t events_ = 0;
  std::string id_;
  protocol::json::object scenario_;
  std::vector<std::string> roster_;   ///< those who take turns
  std::map<std::int64_t, turn> open_; ///< by number
  turn last_;
  std::optional<host::session_documents> documents_;
};

} // namespace convene::server
