#pragma once

#include <convene/actors/behaviours/task_places.hpp>
#include <convene/runtime/runtime.hpp>

#include <memory>

namespace convene::host {

/// Has the simulated participants of the next session that `which` starts draw
/// by what they are asked about, as `actors::participant_draws` describes. The
/// caller's observer shows `places` the session's events. For a runtime with
/// virtual time, before it starts anything.
void draw_by_task(runtime& which, std::shared_ptr<actors::task_places> places);

} // namespace convene::host
