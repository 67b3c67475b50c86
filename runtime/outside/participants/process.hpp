#pragma once

#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>
#include <convene/runtime/outside/processes/processes.hpp>

#include <memory>
#include <string>

namespace convene::host {

class line_worker;

/// A program answers: it reads the request as JSON (request_json.hpp) and
/// writes a reply (protocol::decode_reply). Each request is one action of kind
/// `process`. What it writes to standard error goes to the diagnostic log.
class process_behaviour final : public late_behaviour {
public:
  /// `what` is what `program_for` made, confined or not. `approvers` approve
  /// its requests, if they are to be.
  process_behaviour(std::string participant_id, process_settings how,
                    program what, std::shared_ptr<processes> on,
                    std::shared_ptr<people> approvers = {});

  void begin(actors::turn_request asked) override;

private:
  [[nodiscard]] actors::attempt_function
  attempt_with(std::string request) const;

  std::string participant_id_;
  process_settings how_;
  std::shared_ptr<const program> what_;
  std::shared_ptr<processes> on_;
  std::shared_ptr<people> approvers_;
  std::shared_ptr<line_worker> worker_; ///< mode lines
};

/// What came of a program as what came of an action; its output has to be one
/// JSON text. Errors have the codes of `program_end`, and `invalid_output`.
/// Exit code 75 (EX_TEMPFAIL) is transient, as is a lack of room.
[[nodiscard]] protocol::action_result action_result_of(program_result how,
                                                       const program& of);

/// The reply that an action's output is; a failed one if it is no reply
/// (`invalid_reply`) or the action failed. `name` is whose output it is.
[[nodiscard]] protocol::reply reply_of(const protocol::action_result& how,
                                       std::string_view name);

} // namespace convene::host
