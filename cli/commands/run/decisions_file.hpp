#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/spec/spec.hpp>

#include <filesystem>

namespace convene::cli {

/// The most decisions in one file.
inline constexpr std::size_t decisions_max = 1'000;

/// Takes the decisions on the scenario's plan from a file, a JSON array of
/// {status, decided_by_role, [reason], [decision_id], [decided_at]}, unless the
/// plan needs no approval, and puts a Confirm with all of them into the
/// scenario. The last one counts. Errors: `not_allowed` with rule plan_rejected
/// (it does not approve) or own_plan (nobody confirms their own plan);
/// otherwise about the file, with the place. `now` is for times left out.
[[nodiscard]] protocol::result<void>
take_decisions(session::spec& scenario, const std::filesystem::path& file,
               protocol::uuid_source& ids, protocol::timestamp_ms now);

/// Whether the plan waits for a Confirm.
[[nodiscard]] bool needs_approval(const session::spec& scenario);

/// The Confirm of the scenario's plan, made if there is none, with a decision
/// more, which gets an id if it has none; an approving one settles it.
void add_decision(session::spec& scenario, protocol::confirm_decision decision,
                  protocol::uuid_source& ids, protocol::timestamp_ms now);

} // namespace convene::cli
