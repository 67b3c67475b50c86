#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <set>
#include <utility>

namespace convene::protocol {

/// The rule about a session's events of the family graph_update:
/// - graph_matches: they are of the session's graph, from the module that makes
///   them, and count what their payload adds or removes
class graph_check {
public:
  void feed(const checked_event& e);

private:
  struct change {
    std::string_view kind;
    std::int64_t nodes = 0;
    std::int64_t edges = 0;
    std::string_view module = "collab";
  };
  using resource_name = std::pair<std::string, std::string>;

  [[nodiscard]] std::optional<change> expected(const checked_event& e);
  [[nodiscard]] change write(const json::object& payload);
  [[nodiscard]] change claim(std::string_view type,
                             const json::object& payload);

  std::set<resource_name> present_;
  std::set<resource_name> claimed_;
  std::optional<std::int64_t> unopened_; ///< resources of the scenario
};

} // namespace convene::protocol
