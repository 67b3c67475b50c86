// Whether people were asked to approve what the scenario says, and did.

#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/checks/outcome_facts.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/same_value.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view approval_rule = "approvals_given";

/// Whether a question is about the call that begins.
bool is_about(const json::object& question, const json::object& call) {
  const auto* const shown = member_of(question, "arguments");
  const auto& arguments = object_of(call, "arguments");
  return text_of(question, "kind") == text_of(call, "kind")
         && text_of(question, "name") == text_of(call, "name")
         && (is_blob(arguments)
               ? shown == nullptr
               : shown != nullptr && same_value(*shown, arguments));
}

} // namespace

/// What is wrong with the question about the call at this position.
std::string outcome_check::question_fault(const checked_event& e,
                                          std::string_view call) const {
  const auto& behaviour = behaviour_of(e, text_of(e.payload, "participant_id"));
  const auto& about = object_of(e.payload, "arguments");
  const auto type = text_of(behaviour, "type");
  const auto only = only_position(type);
  if (type == "llm" && !model_at(call))
    check_called(e, call, about);
  else if (only.empty() || call != only || text_of(about, "kind") != type)
    return "asks about a call that a behaviour of type " + quote(type)
           + " does not make";
  if (!needs_approval(behaviour, text_of(about, "name")))
    return "asks about a call that needs no approval";
  const auto digest = text_of(about, "sha256");
  const auto position = text_of(e.payload, "position");
  const bool is_named
    = !digest.empty()
      && digest.starts_with(position.substr(position.rfind('.') + 1));
  // What a service or a program is asked is not on the log.
  const auto* const shown = member_of(about, "arguments");
  const bool is_whole = shown != nullptr && (type == "llm" || type == "mcp");
  if (!is_named
      || (is_whole
          && digest
               != json_sha256(json::object{
                 {"participant", text_of(e.payload, "participant_id")},
                 {"kind", text_of(about, "kind")},
                 {"name", text_of(about, "name")},
                 {"arguments", *shown}})))
    return "has another SHA-256 than that of the call";
  return {};
}

bool outcome_check::is_approved(const request& of,
                                const checked_event& e) const {
  const auto position = text_of(e.payload, "position");
  const auto has_one = [&](const actions& all) {
    for (auto at = all.lower_bound(position);
         at != all.end() && at->first.starts_with(position); ++at) {
      const auto& [name, one] = *at;
      const auto* const output = member_of(one.result, "output");
      if (approved_position(name) != position || one.kind != "person"
          || text_of(one.result, "status") != "completed" || output == nullptr
          || !is_about(object_of(one.asked, "arguments"), e.payload))
        continue;
      if (const auto said = verdict_in(*output); said && said->approved)
        return true;
    }
    return false;
  };
  const auto own = open_.find(of);
  const auto left = left_.find(of.first);
  return (own != open_.end() && has_one(own->second))
         || (left != left_.end() && has_one(left->second));
}

void outcome_check::check_approved(const checked_event& e) const {
  const auto who = text_of(e.payload, "participant_id");
  if (text_of(e.payload, "kind") == "person"
      || !needs_approval(behaviour_of(e, who), text_of(e.payload, "name"))
      || is_approved(
        {std::string{who}, std::string{text_of(e.payload, "token_id")}}, e))
    return;
  e.report(approval_rule,
           outcome_name(e) + " begins, and no person approved exactly this");
}

} // namespace convene::protocol
