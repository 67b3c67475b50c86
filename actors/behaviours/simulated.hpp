#pragma once

#include <convene/actors/behaviours/participant_draws.hpp>
#include <convene/actors/behaviours/plan.hpp>
#include <convene/actors/behaviours/simulated_work.hpp>
#include <convene/protocol/base/shared_value.hpp>

#include <optional>

namespace convene::actors {

/// Probabilities from 0 to 1; `silence`, `failure` and `decline` exclude each
/// other and hold for every request: turns, broadcasts, decisions and votes.
struct simulation {
  distribution latency; ///< how long answers take, in milliseconds
  /// Percent of that which they take in a session, drawn once for it.
  distribution pace{.low = 100};
  double silence = 0;
  double failure = 0;
  double decline = 0;
  double end = 0;                     ///< that a completed reply votes to end
  std::optional<std::string> content; ///< unset: "simulated: " and the task
  simulated_work work;                ///< besides answering
  plan_options plan;                  ///< by which an orchestrator decides

  bool operator==(const simulation&) const = default;
};

/// Simulates a participant. Its answer and delay are a pure function of (seed,
/// participant id, request number) and the request, or of what
/// `participant_draws` says of `by_task`.
class simulated_behaviour final : public behaviour {
public:
  simulated_behaviour(protocol::shared_value<simulation> how,
                      std::uint64_t seed, std::string_view participant_id,
                      std::shared_ptr<task_places> by_task = nullptr);

  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool acts_outside() const noexcept override {
    return false;
  }

private:
  protocol::shared_value<simulation> how_;
  participant_draws draws_;
  std::int64_t pace_percent_;
};

} // namespace convene::actors
