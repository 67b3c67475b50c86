#pragma once

#include <convene/actors/ports/message_faults.hpp>
#include <convene/actors/ports/ports.hpp>
#include <convene/lab/simulation/faults/faulty_log.hpp>
#include <convene/lab/simulation/faults/given_answers.hpp>
#include <convene/lab/simulation/faults/seed_faults.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

/// The faults of a seed, as they concern messages.
class faulty_messages final : public actors::message_faults {
public:
  /// All of them outlive it. Notes in `given` which answers are on their way.
  faulty_messages(seed_faults& faults, const session::spec& what,
                  const faulty_log& log, given_answers& given);

  [[nodiscard]] actors::request_fate
  of_request(session::participant_index to,
             const session::request& what) override;
  [[nodiscard]] actors::answer_fate
  of_answer(session::participant_index from,
            const session::request& what) override;

  /// A process begins, in which nobody hangs, and where time is `time`'s.
  void begin_process(const actors::time_source& time);

private:
  /// A message that others may overtake.
  struct held_message {
    fault_kind kind = fault_kind::request_reordered;
    protocol::timestamp_ms arrives_at = 0;
  };

  [[nodiscard]] actors::answer_fate
  fate_of_answer(session::participant_index from, const session::request& what);
  void pass(fault_kind kind, protocol::timestamp_ms arrives_at);
  [[nodiscard]] std::int64_t hold(fault_kind kind, std::uint32_t at);

  seed_faults& faults_;
  const faulty_log& log_;
  given_answers& given_;
  const actors::time_source* time_ = nullptr;
  std::vector<std::string> names_; ///< by position in the roster
  std::vector<bool> people_;
  std::vector<bool> hangs_;
  std::vector<held_message> held_;
};

} // namespace convene::host
