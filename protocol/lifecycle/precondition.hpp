#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace convene::protocol {

/// What must hold, besides the current status, before a status may change (MPLP
/// lifecycles 2 to 12). Each is judged as it is after the change.
enum class precondition : std::uint8_t {
  has_steps,
  plan_valid,
  context_active,
  confirm_approved,
  steps_done,
  step_failed,
  plan_in_progress,
  dependencies_done,
  dependency_failed,
  dependencies_recovered,
  decided,
  session_complete,
  segments_done,
  nodes_active,
  module_optional,
};
CONVENE_WORDS(precondition, "has_steps", "plan_valid", "context_active",
              "confirm_approved", "steps_done", "step_failed",
              "plan_in_progress", "dependencies_done", "dependency_failed",
              "dependencies_recovered", "decided", "session_complete",
              "segments_done", "nodes_active", "module_optional");

/// "its Context is active": the precondition as a clause.
[[nodiscard]] std::string_view meaning_of(precondition what) noexcept;

/// "activate the Context": how to make it hold.
[[nodiscard]] std::string_view advice_for(precondition what) noexcept;

/// Some of the preconditions.
class precondition_set {
public:
  constexpr precondition_set() = default;
  constexpr precondition_set(std::initializer_list<precondition> all) {
    for (const auto one : all)
      add(one);
  }

  /// All preconditions: for callers interested only in the table.
  [[nodiscard]] static constexpr precondition_set all() noexcept {
    precondition_set every;
    every.bits_ = ~0U;
    return every;
  }

  constexpr void add(precondition one) noexcept {
    bits_ |= bit(one);
  }
  constexpr void remove(precondition one) noexcept {
    bits_ &= ~bit(one);
  }
  [[nodiscard]] constexpr bool has(precondition one) const noexcept {
    return (bits_ & bit(one)) != 0;
  }

private:
  [[nodiscard]] static constexpr std::uint32_t bit(precondition one) noexcept {
    return 1U << static_cast<unsigned>(one);
  }

  std::uint32_t bits_ = 0;
};

} // namespace convene::protocol
