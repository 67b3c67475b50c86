#pragma once

#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/spec.hpp>
#include <support/dice.hpp>

#include <string>
#include <vector>

// What random sessions are made of.

namespace convene::test {

/// The ids of their participants, of which a session has the first ones.
extern const std::vector<std::string> random_names;

session::spec random_spec(dice& d, const session::routing_policy& policy);

/// A write of one of few resources, on a version that may stand.
protocol::resource_write random_write(dice& d);

/// Decisions that mostly fit what the orchestrator was asked; the first
/// `people` of the names take part.
std::vector<protocol::decision>
random_decisions(dice& d, const session::decision_view& asked,
                 std::size_t people);

/// How the participants of a session are disposed. Shares are in percent.
struct mood {
  unsigned ends = 5;      ///< replies that vote to end
  unsigned hands_off = 5; ///< that hand their turn on
  std::size_t people = 1; ///< who take part, the first of the names
};

/// Anything a participant might say.
protocol::reply random_reply(dice& d, const mood& of);

} // namespace convene::test
