#pragma once

#include <convene/protocol/checks/workspace_check.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::protocol {

/// The rule about who writes what in one session's log, event by event:
/// - write_allowed: the list of capabilities that a writer's role has, if it
///   has one, grants the type; and a step that a turn of another participant
///   works on is not written, unless a conflict decided so
class rights_check {
public:
  void feed(std::string_view type, const indexed_members& payload,
            const report_finding& report);

private:
  using capability_list = std::vector<std::string>;

  void start(const json::object& spec);
  void write(const json::object& payload, const report_finding& report) const;

  /// Of participants whose role has a list; the others may write everything.
  std::map<std::string, capability_list, std::less<>> granted_;
  /// Open turns on steps: the step and who has it, by token.
  std::map<std::string, std::pair<std::string, std::string>, std::less<>>
    working_;
};

} // namespace convene::protocol
