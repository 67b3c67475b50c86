#pragma once

#include <convene/actors/behaviours/draw.hpp>
#include <convene/actors/behaviours/task_places.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace convene::actors {

/// The random numbers of one participant. A request's follow from the seed, the
/// participant and how often it was asked; with `by_task`, as in a study, from
/// the seed and what it is asked about, so that variants of a session that ask
/// others, or in another order, draw the same.
class participant_draws {
public:
  /// `by_task` may be null.
  participant_draws(std::uint64_t seed, std::string_view participant_id,
                    std::shared_ptr<task_places> by_task)
    : seed_{seed}, own_{seed, participant_id}, by_task_{std::move(by_task)} {
    // nop
  }

  /// The numbers for a request. Those of a question (a vote, an escalation)
  /// are in `answer`, but for the time that it takes.
  struct rows {
    request_draws request;
    request_draws answer;
  };
  [[nodiscard]] rows for_request(const turn_request& asked) const;

  /// A number that is drawn once: it follows from the seed and the participant
  /// alone. `purpose` is none that requests have.
  [[nodiscard]] double trait(std::uint8_t purpose) const noexcept {
    return own_.uniform(0, purpose);
  }

private:
  std::uint64_t seed_;
  draws own_;
  std::shared_ptr<task_places> by_task_;
};

} // namespace convene::actors
