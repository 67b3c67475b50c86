#pragma once

#include <convene/runtime/data/documents/check_text.hpp>

namespace convene::cli {

/// Prints a line for each error: `file:line:column: /pointer: message`, and of
/// an invariant ` [rule; who demands it]`. Warnings too, unless it is quiet.
void print_verdict(const host::file_verdict& file, bool quiet);

} // namespace convene::cli
