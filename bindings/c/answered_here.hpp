#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>
#include <vector>

namespace convene::c_api {

/// The participants for whom the host answers: those that it names; with "*",
/// also all without a behavior. Rule `participant_unbound`, if nothing answers
/// for one.
[[nodiscard]] protocol::result<std::vector<std::string>>
answered_here(const session::spec& scenario,
              const std::vector<std::string>& participants);

} // namespace convene::c_api
