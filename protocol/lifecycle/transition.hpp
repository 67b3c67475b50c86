#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/lifecycle/event.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// A requested change of status. Its text is untrusted.
struct status_change {
  std::string_view id;   ///< of the object, for events and errors
  std::string_view from; ///< empty: the object is created
  std::string_view to;
  /// `governance.locked`, and no Confirm overrides it.
  bool locked = false;
  /// The preconditions that the caller has found to hold.
  precondition_set holds;
  /// Of a part: the object that it is part of. Empty: it is none.
  std::string_view owner_id;
  /// The project graph, a UUID; empty: `owner_id` or `id` stands for it.
  std::string_view graph_id;
  std::int64_t node_delta = 1; ///< nodes that creating adds to the graph
  std::string_view reason;     ///< for the events; empty: none
};

/// Judges a change of status and returns the events of an accepted one, in
/// order (MPLP lifecycles 1): the one of the lifecycle's own family, if it has
/// one, then graph_update. A row that is `by_initial` has the events of both
/// its moves.
///
/// Refuses with errc::not_allowed and a message that names the module, the id,
/// both statuses, the allowed ones and what to do. Rules: `locked`,
/// `status_known` (errc::invalid_document), `status_changes` (it is the same),
/// `status_final`, `status_move`, or the name of the precondition that does not
/// hold. A refused change has no events and changes nothing.
[[nodiscard]] result<lifecycle_events>
transition(const lifecycle& of, const status_change& change,
           const lifecycle_policy& policy = {});

} // namespace convene::protocol
