#pragma once

#include <convene/runtime/audit/findings.hpp>
#include <convene/runtime/audit/log_verdict.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// Prints a line for each: `file:line: session rule message`.
void print_findings(const std::vector<host::placed_finding>& all);

/// Prints it for people.
void print_text(const std::string& log, const host::log_verdict& all,
                bool quiet);

} // namespace convene::cli
