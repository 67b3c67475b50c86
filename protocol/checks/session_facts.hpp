#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/checks/indexed_members.hpp>
#include <convene/protocol/checks/workspace_check.hpp>
#include <convene/protocol/json/members.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// What a session's first two events say of it. Members that they lack are
/// empty, and then nothing is judged by them.
struct session_facts {
  struct person {
    std::string role;
    std::string role_name;
    bool acts = true; ///< not of kind system
  };

  /// Of MAPSessionStarted. The scenario's mode counts, if it has one.
  void start(const json::object& payload);

  /// Of MAPRolesAssigned.
  void assign(const json::object& payload);

  /// Whether the policy is one of the protocol's five modes.
  [[nodiscard]] bool has_known_policy() const;

  [[nodiscard]] const person* find(std::string_view participant_id) const;

  /// How long a participant has for a request; nothing: it is not known.
  [[nodiscard]] std::optional<std::int64_t>
  timeout_of(std::string_view participant_id) const;

  /// Whether a participant may be meant by `name`: its id or a part of it, its
  /// role, or what the scenario assigns to it.
  [[nodiscard]] bool is_called(std::string_view participant_id,
                               std::string_view name) const;

  bool started = false;
  bool assigned = false;
  std::string mode;
  std::string policy;
  std::string context_id;
  std::string task;
  json::object options; ///< `session` of the scenario
  json::object behaviours;
  bool has_times = false; ///< it says how long participants have
  bool digests = false;   ///< it has one, and so has the end of each action
  std::map<std::string, person, std::less<>> people; ///< none is removed

private:
  /// Whom `find` has found last; an event names the same one often.
  mutable const std::pair<const std::string, person>* found_ = nullptr;
};

/// An event of a session, as its checks take it.
struct checked_event {
  std::string_view type;
  const indexed_members& whole;
  const indexed_members& payload;
  std::optional<timestamp_ms> at;
  const session_facts& session;
  const report_finding& report;

  [[nodiscard, gnu::always_inline]] bool is(std::string_view other) const {
    return is_same(type, other);
  }

  /// Whether it asks a participant or ends the session: all consequences of
  /// the events before it are on the log by then.
  [[nodiscard]] bool goes_on() const {
    return is("MAPTurnDispatched") || is("MAPBroadcastSent")
           || is("MAPSessionCompleted");
  }

  /// Whether it closes a request.
  [[nodiscard]] bool answers() const {
    return is("MAPTurnCompleted") || is("MAPBroadcastReceived");
  }

  /// Of an answer: its reply counted.
  [[nodiscard]] bool is_done() const;

  /// The input that it records; empty: it is no session_input.
  [[nodiscard]] std::string_view input() const {
    return is("session_input") ? text_of(payload, "input") : std::string_view{};
  }
};

/// The member's array; empty if it is not one.
[[nodiscard]] const json::array& array_of(const json::object& from,
                                          std::string_view name) noexcept;

/// Where a document's status is `completed` unless it says otherwise.
[[nodiscard]] std::string_view reply_status_of(const json::object& reply);

} // namespace convene::protocol
