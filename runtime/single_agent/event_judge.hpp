#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/boundary/slot_rule.hpp>
#include <convene/protocol/invariants/related.hpp>
#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/session/single_agent/told_event.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What is wrong with a document of a single agent's run: a fault of convene's.
[[nodiscard]] tl::unexpected<protocol::error>
agent_fault(std::string_view what, const std::string& why);

/// Checks `what` by the embedded schema of that name; `name` is what a fault
/// calls it.
[[nodiscard]] protocol::result<void>
check_schema(const boost::json::value& what, std::string_view schema,
             std::string_view name);

/// As `check_schema`, by the first rule that it breaks.
[[nodiscard]] protocol::result<void>
check_by(const protocol::rule_set& rules, protocol::invariant_scope scope,
         const boost::json::value& document,
         const protocol::related_documents& related);

/// Checks a single agent's events by their schemas and the rules of events. The
/// first one with the same type and the same members is checked as a whole; of
/// the others, each member by what both ask of it.
class event_judge {
public:
  /// Whether the event is valid; false: only `check` knows.
  [[nodiscard]] bool passes(const session::told_event& event);

  /// `tree` is the event.
  [[nodiscard]] protocol::result<void> check(const session::told_event& event,
                                             const boost::json::value& tree);

private:
  /// A member, and what the schema and the rules ask of it.
  struct slot {
    std::string name;
    std::string known; ///< a valid value, as JSON
    bool is_constant = false;
    std::vector<protocol::boundary::demand> demands;
    std::vector<const protocol::invariant*> rules;
  };
  /// Events of the same type with the same members.
  struct shape {
    std::string type;
    std::vector<slot> slots; ///< none: each event is checked as a whole
  };

  static bool admits(slot& by, std::string_view value);
  static bool add_rules(shape& to, const protocol::rule_set& rules,
                        const boost::json::object& sample);
  [[nodiscard]] shape* find(const session::told_event& event);
  void learn(const session::told_event& event, const boost::json::value& tree,
             std::string_view schema);

  std::vector<shape> shapes_;
};

} // namespace convene::host
