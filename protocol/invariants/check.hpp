#pragma once

#include <convene/protocol/invariants/related.hpp>
#include <convene/protocol/invariants/rule_set.hpp>

#include <string>
#include <vector>

namespace convene::protocol {

/// A rule that a document or a session breaks, and where.
struct broken_rule {
  const invariant* rule = nullptr; ///< of the set that was checked
  std::string pointer;             ///< JSON pointer to the value
  std::string path;    ///< the same as rules write it: `steps[3].step_id`
  std::string value;   ///< the value found, shortened; empty: none
  std::string message; ///< one sentence
};

/// The most broken rules described for one document; more are only counted.
inline constexpr std::size_t broken_rules_kept = 20;

/// The result of checking a document.
struct rules_outcome {
  std::vector<broken_rule> broken; ///< the first ones
  std::size_t errors = 0;          ///< all, of level error
  std::size_t warnings = 0;        ///< all, of level warning
  std::size_t checked = 0;         ///< rules that applied
  /// Rules that applied, had there been the other document: of an
  /// orchestrator, Roles that may say who it is.
  std::vector<const invariant*> unchecked;
};

/// Checks a document of that kind, in the order of the rules. A path that
/// leads nowhere breaks its rule. Rules about events are left to
/// `session_rules`, those of other kinds of documents do not apply. An event
/// that carries an integration event is checked as both. Takes time linear in
/// the document for each rule. `rules` must outlive the outcome.
[[nodiscard]] rules_outcome
check_rules(const rule_set& rules, invariant_scope scope,
            const json::value& document, const related_documents& related);

} // namespace convene::protocol
