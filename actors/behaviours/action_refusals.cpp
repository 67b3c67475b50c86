#include <convene/actors/behaviours/action_refusals.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace convene::actors {
namespace {

struct explained_code {
  std::string_view code;
  std::string_view message;
};

constexpr std::array explanations{
  explained_code{"outcome_unknown",
                 "the turn was interrupted while this action was running; its "
                 "outcome is unknown, and it may not be repeated (in a fork, "
                 "nothing may be that the original had begun)"},
  explained_code{"action_changed",
                 "the log has another action at this position: the turn does "
                 "not repeat what it did before"},
  explained_code{"action_completed",
                 "the action at this position has completed; give each one a "
                 "position of its own"},
  explained_code{"action_open",
                 "an action at this position is under way; give each one a "
                 "position of its own"},
  explained_code{"attempt_out_of_order",
                 "the attempts at a position are numbered 1, 2, ... without "
                 "gaps; give each action a position of its own"},
  explained_code{"budget_exhausted",
                 "the session's budget is used up; raise session.budget"},
  explained_code{"actions_max", "the turn has had as many actions as it may"},
  explained_code{"actions_bytes_max",
                 "the turn's actions have had as many bytes as they may"},
  explained_code{"action_bytes_max", "the action's arguments are too large"},
  explained_code{"action_depth_max", "the action's arguments nest too deep"},
  explained_code{"invalid_action",
                 "an action has a position and a name that are not too long, "
                 "and arguments that JSON can say"}};

} // namespace

protocol::action_result refused_by(std::string_view code) {
  const auto* found = std::ranges::find(explanations, code,
                                        &explained_code::code);
  return {.status = protocol::action_status::failed,
          .error
          = {.code = std::string{code},
             .message = std::string{found != explanations.end()
                                      ? found->message
                                      : "the session refused the action"}}};
}

protocol::action_result not_kept(const protocol::error& why) {
  // Only what is wrong with the value itself has a code of its own.
  const bool is_value = why.rule.starts_with("action_");
  return {.status = protocol::action_status::failed,
          .error = {.code = is_value ? why.rule : "blob_not_written",
                    .message = is_value ? why.message : to_string(why)}};
}

} // namespace convene::actors
