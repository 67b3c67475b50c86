#pragma once

#include <boost/json/object.hpp>
#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/actors/behaviours/distribution.hpp>
#include <convene/actors/behaviours/participant_draws.hpp>
#include <convene/actors/behaviours/plan.hpp>
#include <convene/actors/behaviours/reactive_condition.hpp>
#include <convene/protocol/base/shared_value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::actors {

/// A reply as a rule has it.
struct reactive_reply {
  double weight = 1; ///< above 0; how likely it is among the rule's
  /// Its JSON form; only kept if it has names such as `${task}` in it, which
  /// are replaced for each request.
  boost::json::object source;
  protocol::reply reply; ///< else the same for all requests, but for:
  /// Positions of the writes without a base_version: they are based on the
  /// version that the request shows.
  std::vector<std::size_t> unversioned;
};

struct reactive_rule {
  reactive_condition when;
  std::vector<reactive_reply> then; ///< one of them is drawn; not empty
};

struct reaction {
  distribution latency; ///< how long answers take, in milliseconds
  std::vector<reactive_rule> rules;
  plan_options plan; ///< by which an orchestrator decides without a rule
};

/// The names that a reply of a rule may have in it besides those that
/// `behaviours` gives values: what the request says.
inline constexpr std::string_view request_names[]{
  "task",    "message", "role_id",     "turn",     "round",
  "request", "step_id", "conflict_id", "handed_by"};

/// Answers by the first rule that applies. Its answer and delay are a pure
/// function of (seed, participant id, request number) and the request; in a
/// study of (seed, task) and the request. Without
/// a rule that applies it says nothing, abstains from a vote, and decides by
/// the plan.
class reactive_behaviour final : public behaviour {
public:
  reactive_behaviour(protocol::shared_value<reaction> how, std::uint64_t seed,
                     std::string_view participant_id,
                     std::shared_ptr<task_places> by_task)
    : how_{std::move(how)}, draws_{seed, participant_id, std::move(by_task)} {
    // nop
  }

  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool acts_outside() const noexcept override {
    return false;
  }

private:
  [[nodiscard]] const reactive_reply* choose(const turn_request& asked,
                                             double share) const;
  [[nodiscard]] protocol::reply without_rule(const turn_request& asked) const;

  protocol::shared_value<reaction> how_;
  participant_draws draws_;
};

} // namespace convene::actors
