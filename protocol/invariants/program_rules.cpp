// Rules of documents that the rule language has no words for.

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/invariants/document_check.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>

namespace convene::protocol {
namespace {

constexpr std::string_view leader = "orchestrator";

/// In the order in which they count: the first way that finds somebody does.
std::array<bool, 3> ways_to_lead(const json::value& participant,
                                 const related_documents& related) {
  const auto* who = participant.if_object();
  if (who == nullptr)
    return {};
  const auto role = text_of(*who, "role_id");
  const auto leads = related.role_leads(role);
  const auto id = text_of(*who, "participant_id");
  return {leads == related_documents::leads::by_capability,
          leads == related_documents::leads::by_name,
          id.find(leader) != std::string_view::npos
            || role.find(leader) != std::string_view::npos};
}

} // namespace

void document_check::judge_orchestrator(const json::object& collab,
                                        const place& at) {
  const place here{&at, "participants", {}};
  const auto* participants = collab.if_contains("participants");
  if (participants == nullptr || !participants->is_array())
    return report(here, participants,
                  participants == nullptr ? "is missing" : "must be an array");
  std::array<std::size_t, 3> counts{};
  for (const auto& participant : participants->get_array()) {
    const auto ways = ways_to_lead(participant, related_);
    for (std::size_t way = 0; way < ways.size(); ++way)
      counts[way] += ways[way] ? 1 : 0;
  }
  for (const auto count : counts) {
    if (count == 1)
      return;
    if (count > 1)
      return report(here, participants,
                    "must have one orchestrator, has " + std::to_string(count));
  }
  if (!related_.has(invariant_scope::role)) {
    --out_.checked; // the roles might say who it is
    return out_.unchecked.push_back(&rule_);
  }
  report(here, participants,
         "must have an orchestrator: a role with the capability "
         "collab.orchestrate, or \"orchestrator\" in an id or a role");
}

void document_check::judge_messages(const json::object& dialog,
                                    const place& at) {
  const place list{&at, "messages", {}};
  const auto* messages = dialog.if_contains("messages");
  if (messages == nullptr || !messages->is_array())
    return report(list, messages,
                  messages == nullptr ? "is missing" : "must be an array");
  const auto from = parse_timestamp(text_of(dialog, "started_at"));
  const auto to = parse_timestamp(text_of(dialog, "ended_at"));
  const auto& all = messages->get_array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* message = all[i].if_object();
    if (message == nullptr)
      continue;
    const auto time = parse_timestamp(text_of(*message, "timestamp"));
    if (!time || ((!from || *time >= *from) && (!to || *time <= *to)))
      continue;
    const place one{&list, {}, i};
    report({&one, "timestamp", {}}, message->if_contains("timestamp"),
           from && *time < *from ? "must not be before started_at"
                                 : "must not be after ended_at");
  }
}

void document_check::judge_versions(const json::object& core, const place& at) {
  const auto* own = core.if_contains("protocol_version");
  for (const auto& [version, scope] : related_.protocol_versions())
    if (own == nullptr || *own != json::value(version))
      return report({&at, "protocol_version", {}}, own,
                    "must be the meta.protocol_version of all documents here, "
                    "and that of a "
                      + std::string{to_word(scope)} + " is " + quote(version));
}

void document_check::judge_program(program_rule what,
                                   const json::value& document,
                                   const place& at) {
  const auto* object = document.if_object();
  if (object == nullptr)
    return report(at, &document, "must be an object");
  if (what == program_rule::map_orchestrator_required)
    judge_orchestrator(*object, at);
  else if (what == program_rule::dialog_messages_only_while_active)
    judge_messages(*object, at);
  else if (what == program_rule::protocol_versions_mixed)
    judge_versions(*object, at);
}

} // namespace convene::protocol
