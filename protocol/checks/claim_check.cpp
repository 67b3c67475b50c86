#include <convene/protocol/checks/claim_check.hpp>

namespace convene::protocol {

void claim_check::feed(std::string_view type, const json::object& payload,
                       const report_finding& report) {
  const bool ends = type == "claim_released";
  const bool moves = type == "claim_handed_over";
  if (!ends && !moves && type != "claim_taken" && type != "resource_written")
    return;
  const resource_name name{text_of(payload, "resource_type"),
                           text_of(payload, "resource_id")};
  const std::string who{text_of(payload, "participant_id")};
  const auto found = holders_.find(name);
  const auto quoted = [&] { return quote(name.second); };
  if (found != holders_.end() && found->second != who)
    report(type == "resource_written" ? "write_keeps_claims"
                                      : "claims_exclusive",
           "participant " + quote(who) + " has an event of " + quote(type)
             + " for " + quoted() + ", which participant "
             + quote(found->second) + " has claimed");
  if ((ends || moves) && found == holders_.end())
    report("claims_exclusive", quote(type) + " concerns " + quoted()
                                 + ", which nobody has claimed");
  if (type == "resource_written")
    return;
  if (ends)
    holders_.erase(name);
  else
    holders_[name] = moves ? std::string{text_of(payload, "to_participant")}
                           : who;
}

} // namespace convene::protocol
