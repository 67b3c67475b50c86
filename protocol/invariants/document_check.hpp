#pragma once

#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/path.hpp>

#include <span>
#include <string>
#include <string_view>

namespace convene::protocol {

/// One rule on its way through one document.
class document_check {
public:
  document_check(const invariant& rule, std::span<const rule_target> targets,
                 const related_documents& related, rules_outcome& out)
    : rule_(rule), targets_(targets), related_(related), out_(out) {}

  /// Applies the rule to the document, which is at `at`.
  void run(const json::value& document, const place& at);

private:
  void report(const place& at, const json::value* value, std::string message);
  void judge(const json::value& value, const place& at,
             const json::value& document);
  void judge_unique(const json::value& document, const place& at);
  void judge_orchestrator(const json::object& collab, const place& at);
  void judge_messages(const json::object& dialog, const place& at);
  void judge_role_ids(const json::object& document, std::string_view list,
                      const place& at);
  void judge_parts(const json::object& document, std::string_view list,
                   std::string_view id, std::string_view refers,
                   const place& at);
  void judge_versions(const json::object& core, const place& at);
  void judge_program(program_rule what, const json::value& document,
                     const place& at);

  const invariant& rule_;
  std::span<const rule_target> targets_;
  const related_documents& related_;
  rules_outcome& out_;
};

/// Why the value is not what the rule demands; empty if it is. For the rules
/// that look at nothing else.
[[nodiscard]] std::string what_is_wrong(const invariant_rule& rule,
                                        const json::value& value);

} // namespace convene::protocol
