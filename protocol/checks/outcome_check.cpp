#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/checks/outcome_facts.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/json/json_digest.hpp>

#include <algorithm>
#include <cmath>

namespace convene::protocol {
namespace {

constexpr std::string_view digest_rule = "digests_match";
constexpr std::string_view usage_rule = "usage_matches_output";
constexpr std::string_view reply_rule = "replies_match_actions";

/// Of a participant's model.
constexpr std::size_t fallbacks_max = 8;

std::int64_t number_of(const json::object& from, std::string_view name) {
  return integer_of(from, name).value_or(0);
}

/// As the client of models computes it, from dollars per million tokens.
std::int64_t cost_by(const json::object& price, const json::object& used) {
  const auto dollars = [&](std::string_view name) {
    const auto* found = member_of(price, name);
    return found != nullptr && found->is_number() ? found->to_number<double>()
                                                  : 0.0;
  };
  const auto cost = static_cast<double>(number_of(used, "prompt_tokens"))
                      * dollars("prompt")
                    + static_cast<double>(number_of(used, "completion_tokens"))
                        * dollars("completion");
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(std::ceil(cost), most));
}

} // namespace

void outcome_check::feed(const checked_event& e) {
  if (e.is("action_started")) {
    begin(e);
  } else if (e.is("action_ended")) {
    end(e);
  } else if (e.is("MAPTurnDispatched")) {
    tasks_[std::string{text_of(e.payload, "token_id")}] = text_of(e.payload,
                                                                  "task");
  } else if (e.is("MAPTurnCompleted")) {
    close(e, text_of(e.payload, "participant_id"),
          text_of(e.payload, "token_id"));
    if (const auto task = tasks_.find(text_of(e.payload, "token_id"));
        task != tasks_.end())
      tasks_.erase(task);
  } else if (e.is("MAPBroadcastReceived")) {
    close(e, text_of(e.payload, "receiver_participant"),
          text_of(e.payload, "broadcast_ref"));
  } else if (const auto token = text_of(e.payload, "request_id");
             !e.input().empty() && !token.empty()) {
    close(e, text_of(e.payload, "participant_id"), token);
  } else if (e.input() == "suspend") {
    suspend();
  } else if (e.input() == "forked") {
    bar_repeats();
  }
}

void outcome_check::check_digest(const checked_event& e,
                                 const json::object& asked) {
  if (!e.payload.contains("sha256")) {
    lacks_digests_ = lacks_digests_ || !e.session.digests;
    if (e.session.digests)
      e.report(digest_rule, outcome_name(e)
                              + " ends without sha256, which all "
                                "actions of this session have");
    return;
  }
  if (e.session.started && !e.session.digests)
    e.report(digest_rule, outcome_name(e)
                            + " has a digest, and "
                              "MAPSessionStarted has no spec_sha256");
  const auto* result = member_of(e.payload, "result");
  const auto made = decode_action_result(result == nullptr ? json::value{}
                                                           : *result);
  if (!made
      || text_of(e.payload, "sha256")
           != json_sha256(
             json::object{{"action", asked}, {"result", encode(*made)}}))
    e.report(digest_rule, "sha256 of " + outcome_name(e)
                            + " is not the digest "
                              "of what was done and of its result");
}

void outcome_check::end(const checked_event& e) {
  const auto found
    = open_.find({std::string{text_of(e.payload, "participant_id")},
                  std::string{text_of(e.payload, "token_id")}});
  if (found == open_.end())
    return;
  const auto at = found->second.find(text_of(e.payload, "position"));
  if (at == found->second.end())
    return;
  check_digest(e, at->second.asked);
  if (!e.payload.contains("input"))
    return;
  at->second.result = object_of(e.payload, "result");
  const auto& behaviour = behaviour_of(e, text_of(e.payload, "participant_id"));
  // What answers of other clients of models are like is not known.
  if (at->second.kind != "model" || text_of(behaviour, "type") != "llm")
    return;
  if (text_of(at->second.result, "status") == "completed"
      && object_of(at->second.result, "output").empty())
    e.report(reply_rule, outcome_name(e) + " completed without an answer");
  const auto* const output = output_of(found->first, at->first);
  if (output == nullptr)
    return;
  const auto& used = object_of(at->second.result, "usage");
  const auto& said = object_of(*output, "usage");
  const auto settings = model_settings(behaviour,
                                       model_at(at->first).value_or(0));
  const auto& price = object_of(settings, "price");
  for (const auto* name : {"prompt_tokens", "completion_tokens"})
    if (number_of(used, name) != number_of(said, name))
      e.report(usage_rule, std::string{name} + " of " + outcome_name(e)
                             + " is not what the model's answer says");
  if (number_of(used, "cost_microusd") != cost_by(price, said))
    e.report(usage_rule, "the cost of " + outcome_name(e)
                           + " is not that of its tokens by the price in the "
                             "scenario");
}

const outcome_check::seen_action*
outcome_check::find(const request& of, std::string_view position) const {
  if (const auto own = open_.find(of); own != open_.end())
    if (const auto at = own->second.find(position); at != own->second.end())
      return &at->second;
  if (const auto left = left_.find(of.first); left != left_.end())
    if (const auto at = left->second.find(position); at != left->second.end())
      return &at->second;
  return nullptr;
}

std::string outcome_check::last_asked(const request& of,
                                      const std::string& round) const {
  for (std::size_t which = fallbacks_max; which > 0; --which)
    if (auto position = round + ".0." + std::to_string(which);
        find(of, position) != nullptr)
      return position;
  auto position = round + ".0";
  return find(of, position) != nullptr ? position : std::string{};
}

const json::object* outcome_check::output_of(const request& of,
                                             std::string_view position) const {
  const auto* const which = find(of, position);
  if (which == nullptr || text_of(which->result, "status") != "completed")
    return nullptr;
  const auto& output = object_of(which->result, "output");
  return output.empty() || is_blob(output) ? nullptr : &output;
}

void outcome_check::close(const checked_event& e, std::string_view who,
                          std::string_view token) {
  const auto& behaviour = behaviour_of(e, who);
  const auto type = text_of(behaviour, "type");
  const bool acts_once = !only_position(type).empty();
  if (open_.empty() && !acts_once && type != "llm")
    return;
  const request of{std::string{who}, std::string{token}};
  const auto* const reply = member_of(e.payload, "reply");
  if (reply != nullptr && reply->is_object()) {
    if (acts_once)
      check_answered(e, of, behaviour, reply->get_object());
    else if (type == "llm")
      check_spoken(e, of, behaviour, reply->get_object());
  }
  open_.erase(of);
}

/// Requests of later turns may take these up.
void outcome_check::bar_repeats() {
  for (auto& [of, all] : open_)
    for (auto& [position, each] : all)
      if (each.result.empty())
        each.asked.erase("repeatable");
}

void outcome_check::suspend() {
  for (const auto& [of, all] : open_)
    for (const auto& [position, each] : all)
      left_[of.first].insert_or_assign(position, each);
}

} // namespace convene::protocol
