#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/actors/behaviours/task_places.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

#include <memory>
#include <string_view>

namespace convene::actors {

/// Context of a behaviour that its settings do not contain.
struct behaviour_setup {
  std::string session_id;
  std::string participant_id;
  std::uint64_t seed = 0;   ///< of the session, for those that draw
  std::int64_t rounds = 1;  ///< an orchestrator's, without a plan
  std::int64_t retries = 1; ///< an orchestrator's, unless the settings say
  /// The scenario's MCP servers; null: it has none.
  const protocol::json::object* mcp_servers = nullptr;
  /// In a study: what the session's draws follow from; else null.
  std::shared_ptr<task_places> by_task = nullptr;
};

/// Makes behaviours of types that this room does not have: those that reach
/// outside of the session. Thread-safe.
class behaviour_source {
public:
  virtual ~behaviour_source() = default;

  /// Null: it does not know the type. Errors are as for `make_behaviour`.
  [[nodiscard]] virtual protocol::result<std::unique_ptr<behaviour>>
  make(std::string_view type, const protocol::json::value& config,
       const behaviour_setup& whose, std::string_view pointer)
    = 0;
};

/// Creates a behaviour from its JSON form, a member of a scenario's
/// `behaviours`:
///
///     {"type": "echo"}
///     {"type": "plan", "retries": 1, "on_failure": "fail" | "skip"}
///     {"type": "script", "turns": [reply...], "after": reply,
///      "decisions": [decision | [decision...]...], "repeat": false}; an
///      orchestrator decides by `decisions`, or else by those of the replies
///     {"type": "simulated", "latency_ms": n | {"constant": n}
///         | {"uniform": {"min", "max"}} | {"lognormal": {"median", "p99"}},
///      "failure": 0, "decline": 0, "silence": 0, "end": 0, "content": "..."
///      and what docs/simulation.md has}; docs/reactive.md has "reactive"
///
/// All members but `type` are optional. One with a member `node` runs on
/// another node (actors/behaviours/node_place.hpp): it is made by `outside`,
/// under the type `node_member`. `pointer` is the location of `config`, for
/// errors: `invalid_document`, or `unsupported` for a type that reaches outside
/// (its name is the rule) where `outside` is null or does not know it.
[[nodiscard]] protocol::result<std::unique_ptr<behaviour>>
make_behaviour(const protocol::json::value& config,
               const behaviour_setup& whose, std::string_view pointer,
               behaviour_source* outside = nullptr);

/// The behaviour that a scenario assigns to a participant: the one under its
/// id, else the one under "*", else echo. A person or external system must be
/// bound by its own id, or is refused (`activation_refused`,
/// participant_unbound).
[[nodiscard]] protocol::result<std::unique_ptr<behaviour>>
behaviour_for(const session::spec& what, const protocol::participant& who,
              std::uint64_t seed, behaviour_source* outside = nullptr,
              std::shared_ptr<task_places> by_task = nullptr);

/// What the scenario says of a participant's behaviour: the member of its
/// `behaviours` under the participant's id, else that under "*", else null.
struct behaviour_entry {
  std::string_view key; ///< its name in `behaviours`
  const protocol::json::value* config = nullptr;
};
[[nodiscard]] behaviour_entry entry_for(const session::spec& what,
                                        std::string_view participant_id);

/// The behaviours of all participants, in roster order.
[[nodiscard]] protocol::result<std::vector<std::unique_ptr<behaviour>>>
behaviours_for(const session::spec& what, std::uint64_t seed,
               behaviour_source* outside = nullptr,
               const std::shared_ptr<task_places>& by_task = nullptr);

} // namespace convene::actors
