#pragma once

#include <convene/protocol/documents/plan.hpp>
#include <convene/session/requests/request.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace convene::session {

struct step_state;

/// What decides who may have a step, and whether it may have another turn.
struct step_kind {
  std::optional<std::string> agent_role;
  participant_index assigned = no_participant;
  std::uint32_t attempts = 0;

  auto operator<=>(const step_kind&) const = default;
};

/// Where a step stands among those of its kind: by order_index, then by
/// step_id.
using step_place = std::pair<std::int64_t, std::string>;

using steps_in_order = std::map<step_place, step_index>;

/// Ready steps by their kinds, so that of thousands those that matter are found
/// without looking at each. Not thread-safe.
class ready_groups {
public:
  void add(const protocol::plan_step& step, const step_state& state,
           step_index at);
  /// Its kind is still what it was when it was added.
  void drop(const protocol::plan_step& step, const step_state& state);

  /// No group is empty.
  [[nodiscard]] const std::map<step_kind, steps_in_order>&
  all() const noexcept {
    return all_;
  }

private:
  std::map<step_kind, steps_in_order> all_;
};

} // namespace convene::session
