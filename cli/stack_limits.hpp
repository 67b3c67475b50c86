#pragma once

#include <convene/protocol/base/error.hpp>

namespace convene::cli {

/// Makes sure that this thread, and all that are started later, have room for
/// their calls: a stack that ends too early would end the program without a
/// word. To be called first. Error: `io_failed`, rule `stack`, if the system
/// does not allow it.
[[nodiscard]] protocol::result<void> reserve_stacks();

} // namespace convene::cli
