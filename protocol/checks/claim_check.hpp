#pragma once

#include <convene/protocol/checks/workspace_check.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// The rules about claims in one session's log, event by event:
/// - claims_exclusive: a resource is claimed by one participant at a time, and
///   only its holder renews, gives back or hands over the claim
/// - write_keeps_claims: what somebody has claimed, nobody else writes
class claim_check {
public:
  void feed(std::string_view type, const json::object& payload,
            const report_finding& report);

private:
  using resource_name = std::pair<std::string, std::string>;

  std::map<resource_name, std::string> holders_;
};

} // namespace convene::protocol
