#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/checks/workspace_check.hpp>
#include <convene/protocol/invariants/rule_set.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace convene::protocol {

/// A rule that the events of a session break.
struct broken_session_rule {
  const invariant* rule = nullptr;
  std::string session_id;
  std::size_t at = 0;  ///< of the event to blame, as fed
  std::string message; ///< one sentence
};

using session_rule_visitor = std::function<void(broken_session_rule)>;

/// Checks the rules that concern events of sessions, in which many sessions
/// may interleave (MPLP profiles-and-events.md 2.8): a turn that is dispatched
/// is completed once, a broadcast is answered, and where participants take
/// turns only the holder of the token acts and writes. Takes events as the
/// seeds show them; what else is wrong with an event is for its schema. Keeps
/// what is open, and of each session its mode.
class session_rules {
public:
  static constexpr std::size_t open_things_max = 1'000'000;

  /// `rules` must outlive this object. `open_max` turns, broadcasts and
  /// sessions are kept; more is errc::limit_reached, rule `open_things_max`.
  explicit session_rules(const rule_set& rules,
                         std::size_t open_max = open_things_max);

  /// The next event of the log, or anything else, which is passed over.
  [[nodiscard]] result<void> feed(std::size_t at, const json::value& event,
                                  const session_rule_visitor& report);

  /// To be called once, after the last event: what is still open.
  void finish(const session_rule_visitor& report);

  /// Rules of the set that this checks.
  [[nodiscard]] std::size_t rules_total() const noexcept;

private:
  struct turn {
    std::string role;
    std::string token;
    std::string participant;
    std::size_t at = 0;
    turn_rights rights;
    bool may_write = true;
  };
  struct session {
    bool takes_turns = false;
    bool is_pair = false;
    std::map<std::int64_t, turn> turns;            // open, by number
    std::map<std::string, std::size_t> broadcasts; // unanswered, to `at`
    /// Who has not answered a broadcast, with its id, and so may write.
    std::set<std::pair<std::string, std::string>> asked;
    /// Whose write a conflict is about that others decide: it may follow when
    /// the turn is over.
    std::map<std::string, std::string, std::less<>> disputed;
  };
  struct report_to;

  void dispatch(session& in, const json::object& event, const report_to& to);
  void complete(session& in, const json::object& event, const report_to& to);
  void broadcast(session& in, const json::object& event, const report_to& to);
  void receive(session& in, const json::object& event);
  [[nodiscard]] static bool is_asked(const session& in, std::string_view token,
                                     std::string_view who);
  static void dispute(session& in, const json::object& event);
  void write(session& in, const json::object& event, const report_to& to);
  void close(const session& ended, const report_to& to) const;

  const invariant* turn_rule_ = nullptr;
  const invariant* broadcast_rule_ = nullptr;
  const invariant* write_rule_ = nullptr;
  std::map<std::string, session, std::less<>> sessions_; // not ended
  std::size_t open_max_;
  std::size_t open_ = 0;
};

} // namespace convene::protocol
