// Rules of documents that the rule language has no words for.

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/invariants/document_check.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <unordered_set>

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

/// `list`: of those who have a role_id.
void document_check::judge_role_ids(const json::object& document,
                                    std::string_view list, const place& at) {
  if (!related_.has(invariant_scope::role)) {
    --out_.checked; // any word is a role
    return out_.unchecked.push_back(&rule_);
  }
  const auto* found = document.if_contains(list);
  const auto* all = found == nullptr ? nullptr : found->if_array();
  if (all == nullptr)
    return; // the schema's to refuse
  const place here{&at, list, {}};
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto* one = (*all)[i].if_object();
    const auto role = one == nullptr ? std::string_view{}
                                     : text_of(*one, "role_id");
    if (role.empty() || related_.knows_role(role))
      continue;
    const auto nearest = out_.broken.size() < broken_rules_kept
                           ? related_.suggest_role(role)
                           : std::string{};
    const place item{&here, {}, i};
    report({&item, "role_id", {}}, one->if_contains("role_id"),
           "must be the id or name of a Role that is here" + nearest);
  }
}

/// Parts of `list`, called by their `id`, whose member `refers` names others of
/// them: one, or several in an array.
void document_check::judge_parts(const json::object& document,
                                 std::string_view list, std::string_view id,
                                 std::string_view refers, const place& at) {
  const auto* found = document.if_contains(list);
  const auto* all = found == nullptr ? nullptr : found->if_array();
  if (all == nullptr)
    return; // the schema's to refuse
  std::unordered_set<std::string_view> known;
  for (const auto& each : *all)
    if (const auto* part = each.if_object())
      known.insert(text_of(*part, id));
  const auto check = [&](const json::value& name, const place& here) {
    if (const auto* text = name.if_string(); text && !known.contains(*text))
      report(here, &name,
             "must be the " + std::string{id} + " of one of the "
               + std::string{list});
  };
  const place here{&at, list, {}};
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto* part = (*all)[i].if_object();
    const auto* names = part == nullptr ? nullptr : part->if_contains(refers);
    if (names == nullptr)
      continue;
    const place item{&here, {}, i};
    const place member{&item, refers, {}};
    const auto* several = names->if_array();
    if (several == nullptr)
      check(*names, member);
    else
      for (std::size_t k = 0; k < several->size(); ++k)
        check((*several)[k], {&member, {}, k});
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
  else if (what == program_rule::map_role_ids_known)
    judge_role_ids(*object, "participants", at);
  else if (what == program_rule::network_role_ids_known)
    judge_role_ids(*object, "nodes", at);
  else if (what == program_rule::plan_dependencies_known)
    judge_parts(*object, "steps", "step_id", "dependencies", at);
  else if (what == program_rule::trace_segments_known)
    judge_parts(*object, "segments", "segment_id", "parent_segment_id", at);
  else if (what == program_rule::protocol_versions_mixed)
    judge_versions(*object, at);
}

} // namespace convene::protocol
