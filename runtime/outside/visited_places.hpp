#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/outside.hpp>

#include <filesystem>
#include <vector>

namespace convene::host {

/// Every place where a path is looked up: each of its components, and those of
/// the links among them, without a link in what comes before. Whoever can
/// replace one of them decides where the path leads. The last one is where it
/// leads now, unless there are too many links.
[[nodiscard]] std::vector<std::filesystem::path>
visited_places(const std::filesystem::path& from);

/// Refuses a folder in which a sandboxed program could replace what convene
/// writes or trusts: `activation_refused`, written_folder.
[[nodiscard]] protocol::result<void>
check_apart(const outside_options& how, const std::filesystem::path& folder);

} // namespace convene::host
