#pragma once

#include <convene/protocol/checks/workspace_check.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// The rules about claims in one session's log, event by event:
/// - claims_exclusive: a resource is claimed by one participant at a time, and
///   only its holder renews, gives back or hands over the claim
/// - write_keeps_claims: what somebody has claimed, nobody else writes, except
///   the write of a conflict that it has won, if it was detected before the
///   claim: others may claim a resource while a vote on it is open
class claim_check {
public:
  void feed(std::string_view type, const indexed_members& payload,
            const report_finding& report);

private:
  using resource_name = std::pair<std::string, std::string>;

  /// A write that had waited for a decision before anybody else claimed.
  struct disputed_write {
    resource_name name;
    std::string who;
    std::string token;
    bool stands = false; ///< the decision lets it
  };

  void detect(const json::object& payload);
  void resolve(const json::object& payload);
  [[nodiscard]] bool is_decided(const resource_name& name, std::string_view who,
                                const json::object& payload) const;

  std::map<resource_name, std::string> holders_;
  std::map<std::string, disputed_write, std::less<>> disputed_; ///< by conflict
};

} // namespace convene::protocol
