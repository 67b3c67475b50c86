#pragma once

#include <convene/session/permission.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <convene/session/workspace/write.hpp>

namespace convene::session {

/// What the participants of a session share, and what decides who may change
/// it. Belongs to the session machine.
struct shared_state {
  workspace resources;
  permissions allowed;
};

} // namespace convene::session
