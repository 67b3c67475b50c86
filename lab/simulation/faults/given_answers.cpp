#include <convene/lab/simulation/faults/given_answers.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::host {

using namespace protocol;

void given_answers::note(const std::string& who, const uuid& token,
                         std::size_t log_bytes) {
  const auto [at, is_first] = since_.try_emplace({who, to_string(token)},
                                                 log_bytes);
  if (!is_first)
    at->second = std::min(at->second, log_bytes);
}

bool given_answers::explain(const boost::json::object& event,
                            std::size_t at) const {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const bool is_turn = type == "MAPTurnCompleted";
  if ((!is_turn && type != "MAPBroadcastReceived")
      || !payload.contains("reply"))
    return true;
  // The runtime answers for whoever is being restarted.
  const auto& error = object_of(object_of(payload, "reply"), "error");
  if (text_of(error, "code") == "participant_restarted")
    return true;
  const auto who = text_of(payload,
                           is_turn ? "participant_id" : "receiver_participant");
  const auto token = text_of(payload, is_turn ? "token_id" : "broadcast_ref");
  const auto given = since_.find({std::string{who}, std::string{token}});
  return given != since_.end() && given->second <= at;
}

} // namespace convene::host
