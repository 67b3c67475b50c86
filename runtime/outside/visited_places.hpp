#pragma once

#include <filesystem>
#include <vector>

namespace convene::host {

/// Every place where a path is looked up: each of its components, and those of
/// the links among them, without a link in what comes before. Whoever can
/// replace one of them decides where the path leads. The last one is where it
/// leads now, unless there are too many links.
[[nodiscard]] std::vector<std::filesystem::path>
visited_places(const std::filesystem::path& from);

} // namespace convene::host
