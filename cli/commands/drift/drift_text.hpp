#pragma once

#include <convene/protocol/drift/drift.hpp>

#include <string>

namespace convene::cli {

/// A line for a difference: what it is, how much is at stake, where, and what
/// is there instead of what. With `hashes`, also what the contents hash to.
[[nodiscard]] std::string drift_row(const protocol::drift_record& record,
                                    bool hashes);

/// The same as it happens: with the time, and `resolved` for one that is over.
[[nodiscard]] std::string drift_change_row(protocol::drift_change how,
                                           const protocol::drift_record& record,
                                           bool hashes);

} // namespace convene::cli
