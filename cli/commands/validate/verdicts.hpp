#pragma once

#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/runtime/data/documents/check_text.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// The invariants that were asked for, by names of sets and ids of rules;
/// without names, those for any document.
[[nodiscard]] protocol::result<protocol::rule_set>
choose_rules(const std::vector<std::string>& names);

/// Prints a line for each error: `file:line:column: /pointer: message`, and of
/// an invariant ` [rule; who demands it]`. Warnings too, unless it is quiet.
void print_verdict(const host::file_verdict& file, bool quiet);

/// A file of `convene validate --json`; with what `--invariants` adds.
[[nodiscard]] protocol::json::object to_json(const host::file_verdict& file,
                                             bool invariants);

} // namespace convene::cli
