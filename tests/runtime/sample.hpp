#pragma once

#include <convene/convene.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <runtime/log/event_log/files.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// What the tests of the facade have in common.
namespace convene::tests {

inline const std::vector<mode> all_modes{mode::broadcast, mode::orchestrated,
                                         mode::pair, mode::round_robin,
                                         mode::swarm};

/// Says the same each time.
reply_function says(std::string content, bool end = false);

/// Decides as an orchestrator: a turn for `whom`, then the end.
reply_function leads(std::string whom);

/// A session of two that works in every mode: "a" leads, "b" works. Answers
/// come from actors, not from the pool of threads.
session_setup two_in(mode how);

/// The same with participants of type simulated, with latency.
session::spec simulated_in(mode how, std::uint64_t number);

/// The condition that ended the session, or the error.
std::string how(const result<session_result>& ended);

/// All findings of a log's events, one a line; empty: none.
std::string findings_in(const std::filesystem::path& log,
                        std::size_t& sessions);

} // namespace convene::tests
