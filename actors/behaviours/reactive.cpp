#include <convene/actors/behaviours/named_texts.hpp>
#include <convene/actors/behaviours/reactive.hpp>
#include <convene/protocol/documents/reply_codec.hpp>

#include <optional>
#include <string>

namespace convene::actors {
namespace {

/// What a number is drawn for. The order is part of what a seed means.
enum reactive_purpose : std::uint8_t { chosen_reply, thinking };

std::string latest_message(const turn_request& asked) {
  const auto all = asked.window.entries();
  return all.empty() ? std::string{} : std::string{all.back().content};
}

std::optional<std::string> value_of(std::string_view name,
                                    const turn_request& asked) {
  if (name == "task")
    return asked.task;
  if (name == "message")
    return latest_message(asked);
  if (name == "role_id")
    return asked.role;
  if (name == "turn")
    return std::to_string(asked.turn);
  if (name == "round")
    return std::to_string(asked.round);
  if (name == "request")
    return std::to_string(std::uint64_t{asked.sequence} + 1);
  if (name == "step_id")
    return asked.step_id;
  if (name == "conflict_id")
    return asked.dispute.conflict_id;
  if (name == "handed_by")
    return asked.handoff.from;
  return std::nullopt;
}

protocol::reply make_reply(const reactive_reply& what,
                           const turn_request& asked) {
  auto made = what.reply;
  if (!what.source.empty()) {
    boost::json::value filled(what.source);
    if (!replace_names(filled, [&asked](std::string_view name) {
          return value_of(name, asked);
        }))
      return {.status = protocol::reply_status::failed,
              .error = {"named_bytes_max",
                        "the names in the reply stand for more than "
                          + std::to_string(named_bytes_max) + " bytes"}};
    auto decoded = protocol::decode_reply(filled);
    if (!decoded)
      return {.status = protocol::reply_status::failed,
              .error = {"reply_invalid", to_string(decoded.error())}};
    made = *std::move(decoded);
  }
  for (const auto at : what.unversioned) {
    auto& write = made.writes[at];
    const auto* shown
      = asked.workspace.find({write.resource_type, write.resource_id});
    write.base_version
      = shown == nullptr ? 0 : static_cast<std::int64_t>(shown->version);
  }
  return made;
}

} // namespace

answer reactive_behaviour::respond(const turn_request& asked) {
  const auto drawn = draws_.for_request(asked).answer;
  const auto* chosen = choose(asked, drawn.uniform(chosen_reply));
  return {.reply = chosen == nullptr ? without_rule(asked)
                                     : make_reply(*chosen, asked),
          .delay_ms = how_->latency.at(drawn.uniform(thinking))};
}

const reactive_reply* reactive_behaviour::choose(const turn_request& asked,
                                                 double share) const {
  for (const auto& rule : how_->rules) {
    if (!rule.when.holds(asked))
      continue;
    double all = 0;
    for (const auto& one : rule.then)
      all += one.weight;
    auto left = share * all;
    for (const auto& one : rule.then)
      if ((left -= one.weight) < 0)
        return &one;
    return &rule.then.back();
  }
  return nullptr;
}

protocol::reply
reactive_behaviour::without_rule(const turn_request& asked) const {
  if (asked.kind == session::request_kind::decision)
    return {.decision = decide_by_plan(asked, how_->plan)};
  if (!asked.dispute.conflict_id.empty())
    return {.status = protocol::reply_status::declined};
  return {};
}

} // namespace convene::actors
