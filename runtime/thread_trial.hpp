#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstddef>

namespace convene::host {

/// How many threads run the actors: one for each core, if the options say 0.
[[nodiscard]] std::size_t workers_of(const runtime_options& how);

/// Whether the system has the threads and the memory that a runtime with these
/// options begins with, and `more` threads: starts as many for a moment. A
/// library that a runtime starts threads in ends the process where it gets
/// none, so it is to be asked before anything is created. Error: `io_failed`,
/// rule `threads` or `memory`. What other processes take afterwards is missing
/// all the same.
[[nodiscard]] CONVENE_API protocol::result<void>
try_threads(const runtime_options& how, std::size_t more = 0);

/// As `try_threads`, by the runtime that begins. Starts no threads for a moment
/// if an earlier trial has found as many that no runtime has begun with since.
[[nodiscard]] protocol::result<void> claim_threads(const runtime_options& how);

} // namespace convene::host
