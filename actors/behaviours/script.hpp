#pragma once

#include <convene/actors/behaviours/plan.hpp>
#include <convene/protocol/base/shared_value.hpp>

#include <optional>
#include <utility>

namespace convene::actors {

/// One entry of an orchestrator's script.
struct script_decision {
  std::vector<protocol::decision> list;

  bool operator==(const script_decision&) const = default;
};

struct script {
  std::vector<protocol::reply> turns;   ///< answers to requests
  std::optional<protocol::reply> after; ///< to those beyond `turns`
  /// For an orchestrator. Unset: it decides as `turns` say, and by the plan
  /// where they do not.
  std::optional<std::vector<script_decision>> decisions;
  /// Answers to questions about conflicts: the participant id whose write
  /// should stand. Abstains beyond the end of the list.
  std::vector<std::string> votes;
  plan_options plan;           ///< how it then does
  std::int64_t latency_ms = 0; ///< delay of every answer
  /// Instead, those of the answers in `turns`, as far as it goes.
  std::vector<std::int64_t> turn_latency_ms;
  bool repeat = false; ///< start over at the end of a list

  bool operator==(const script&) const = default;
};

/// Answers from a list: the n-th request gets `turns[n]`, a decision request
/// its `decision`, or what the plan says if it has none. With `decisions` the
/// n-th decision request gets `decisions[n]`, and the n-th turn `turns[n]`.
/// Beyond the lists, without `repeat`: a turn gets `after`, or else an empty
/// reply that votes to end; a decision request gets the decision of `after`, or
/// `complete`. The n-th question about a conflict gets `votes[n]`.
class script_behaviour final : public behaviour {
public:
  explicit script_behaviour(protocol::shared_value<script> lines)
    : lines_{std::move(lines)} {
    // nop
  }

  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool acts_outside() const noexcept override {
    return false;
  }

private:
  [[nodiscard]] protocol::reply reply_to(const turn_request& asked) const;
  [[nodiscard]] std::int64_t delay_of(const turn_request& asked) const;
  /// Which of the turns is the answer.
  [[nodiscard]] std::size_t turn_of(const turn_request& asked) const;
  std::vector<protocol::decision> decide(const turn_request& asked) const;

  protocol::shared_value<script> lines_;
};

} // namespace convene::actors
