#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace convene::session {

/// When a session is over, as in `end` of a scenario: an object with one member
/// that names the kind of condition, such as {"turns": 5}. The functions of
/// `when` write it; `make_ending` reads and checks it.
using end_condition = protocol::json::object;

/// Conditions for applications: `when::any({when::text("APPROVED"),
/// when::no_progress(6)})`. Arguments are checked only when a session is
/// started.
namespace when {

/// All of them hold, at least one does, this one does not.
[[nodiscard]] CONVENE_API end_condition all(std::vector<end_condition> of);
[[nodiscard]] CONVENE_API end_condition any(std::vector<end_condition> of);
[[nodiscard]] CONVENE_API end_condition none(end_condition of);

/// This many turns are closed; this many rounds are over. A round is over when
/// all who can act, except the orchestrator, have had a turn in it, or a
/// broadcast has closed.
[[nodiscard]] CONVENE_API end_condition turns(std::int64_t count);
[[nodiscard]] CONVENE_API end_condition rounds(std::int64_t count);

/// The session has lasted this long, not counting suspended time; no reply has
/// arrived for this long.
[[nodiscard]] CONVENE_API end_condition duration_ms(std::int64_t ms);
[[nodiscard]] CONVENE_API end_condition idle_ms(std::int64_t ms);

/// The pattern was found in the content of a completed reply; with `role`, of
/// one from a participant with this role_id, Role name or participant id.
[[nodiscard]] CONVENE_API end_condition text(std::string_view pattern,
                                             std::string_view role = {});

/// Of those who can act, all, more than half, or this share (above 0, up to 1)
/// voted to end in their latest reply.
[[nodiscard]] CONVENE_API end_condition all_votes();
[[nodiscard]] CONVENE_API end_condition majority_votes();
[[nodiscard]] CONVENE_API end_condition votes(double share);

/// The plan has steps and none of them remains to be done.
[[nodiscard]] CONVENE_API end_condition plan_complete();

/// A resource has this value; its text, or its value as JSON if it is not text,
/// matches this pattern.
[[nodiscard]] CONVENE_API end_condition
resource_equals(std::string_view resource_type, std::string_view resource_id,
                protocol::json::value value);
[[nodiscard]] CONVENE_API end_condition
resource_matches(std::string_view resource_type, std::string_view resource_id,
                 std::string_view pattern);

/// This many tokens were used; this much money was spent.
[[nodiscard]] CONVENE_API end_condition tokens(std::int64_t count);
[[nodiscard]] CONVENE_API end_condition cost_microusd(std::int64_t amount);

/// This many requests in a row closed as failed, timed out or declined.
[[nodiscard]] CONVENE_API end_condition failures(std::int64_t in_a_row);

/// This many turns in a row changed no resource, added no task and said nothing
/// new.
[[nodiscard]] CONVENE_API end_condition no_progress(std::int64_t turns);

/// The session was asked to stop from outside.
[[nodiscard]] CONVENE_API end_condition stopped();

/// A function of the application decides; `start_options::conditions` has it
/// under this name.
[[nodiscard]] CONVENE_API end_condition custom(std::string_view name);

} // namespace when

} // namespace convene::session
