#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// The plan that undoes what is pending of a rollback, as a scenario of a
/// single agent: a step for each compensation, with the id of the step that it
/// undoes, each waiting for the one before. In the workspace are the run's
/// resources as it left them, and as `completed_step` what each step that is to
/// be undone said.
[[nodiscard]] protocol::result<session::spec>
compensation_scenario(const rollback_record& of, const session::rollback& what,
                      protocol::timestamp_ms now);

} // namespace convene::host
