#include <convene/protocol/checks/claim_check.hpp>
#include <convene/protocol/checks/joined_writes.hpp>

#include <utility>

namespace convene::protocol {

void claim_check::detect(const json::object& payload) {
  if (text_of(payload, "conflict_type") != "concurrent_modification")
    return;
  const auto& details = object_of(payload, "details");
  disputed_write made{.name = resource_name{text_of(payload, "resource_type"),
                                            text_of(payload, "resource_id")},
                      .who = std::string{text_of(details, "participant_id")},
                      .token
                      = std::string{text_of(details, "presented_token")}};
  const auto found = holders_.find(made.name);
  if (found == holders_.end() || found->second == made.who)
    disputed_.emplace(text_of(payload, "conflict_id"), std::move(made));
}

void claim_check::resolve(const json::object& payload) {
  const auto found = disputed_.find(text_of(payload, "conflict_id"));
  if (found == disputed_.end())
    return;
  auto& about = found->second;
  about.stands = joins_writes(payload)
                 || (payload.contains("overridden_versions")
                     && text_of(payload, "winning_participant") == about.who);
  if (!about.stands)
    disputed_.erase(found);
}

bool claim_check::is_decided(const resource_name& name, std::string_view who,
                             const json::object& payload) const {
  const auto found = disputed_.find(text_of(payload, "conflict_id"));
  return found != disputed_.end() && found->second.stands
         && found->second.name == name && found->second.who == who
         && found->second.token == text_of(payload, "token_id");
}

void claim_check::feed(std::string_view type, const indexed_members& payload,
                       const report_finding& report) {
  if (is_same(type, "MAPConflictDetected"))
    return detect(payload);
  if (is_same(type, "MAPConflictResolved"))
    return resolve(payload);
  const bool ends = is_same(type, "claim_released");
  const bool moves = is_same(type, "claim_handed_over");
  const bool writes = is_same(type, "resource_written");
  if (!ends && !moves && type != "claim_taken" && !writes)
    return;
  const resource_name name{text_of(payload, "resource_type"),
                           text_of(payload, "resource_id")};
  const std::string who{text_of(payload, "participant_id")};
  const auto found = holders_.find(name);
  const auto quoted = [&] { return quote(name.second); };
  if (found != holders_.end() && found->second != who
      && !(writes && is_decided(name, who, payload)))
    report(writes ? "write_keeps_claims" : "claims_exclusive",
           "participant " + quote(who) + " has an event of " + quote(type)
             + " for " + quoted() + ", which participant "
             + quote(found->second) + " has claimed");
  if ((ends || moves) && found == holders_.end())
    report("claims_exclusive", quote(type) + " concerns " + quoted()
                                 + ", which no one has claimed");
  if (writes) {
    if (const auto decided = disputed_.find(text_of(payload, "conflict_id"));
        decided != disputed_.end())
      disputed_.erase(decided);
    return;
  }
  if (ends)
    holders_.erase(name);
  else
    holders_[name] = moves ? std::string{text_of(payload, "to_participant")}
                           : who;
}

} // namespace convene::protocol
