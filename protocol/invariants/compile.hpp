#pragma once

#include <convene/protocol/invariants/rule_set.hpp>

#include <string_view>
#include <vector>

namespace convene::protocol {

/// What stops a rule's compilation: the member to blame, rule and sentence.
struct rule_fault {
  std::string_view member;
  std::string_view rule;
  std::string message;
};

/// `uuid-v4`, `enum(a,b)` and so on. Adds what `eq(path)` compares with to
/// `targets`.
[[nodiscard]] tl::expected<invariant_rule, rule_fault>
compile_rule(std::string_view text, std::vector<rule_target>& targets);

/// One rule of the data.
[[nodiscard]] tl::expected<invariant, rule_fault>
compile_invariant(const json::value& from, std::vector<rule_target>& targets);

} // namespace convene::protocol
