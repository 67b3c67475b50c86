#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>
#include <convene/runtime/single_agent/agent_run.hpp>

#include <string>
#include <vector>

namespace convene::host {

/// Puts the documents of a single agent's run under their keys, in one
/// transaction. They take the place of those of the session that executed its
/// plan, whose texts are `of_session`: its Trace has the same id. If anything
/// else is there, nothing is stored: `document_exists`. The values are the
/// texts of the files that `write_agent_run` writes. Waits for the store; not
/// for its callbacks.
[[nodiscard]] CONVENE_API protocol::result<void>
store_agent_run(state_store& into, const agent_run& run,
                const std::vector<std::string>& of_session = {});

} // namespace convene::host
