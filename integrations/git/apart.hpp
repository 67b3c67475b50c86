#pragma once

#include <convene/protocol/base/error.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// What one process tells the other: texts without zero bytes.
using packed_texts = std::vector<std::string>;

/// Does the work in a process of its own, which is ended after `longest` (rule
/// `git_time_max`) or with this one. libgit2 1.5 does not end on some damaged
/// objects, so what a stranger's repository does to it stays over there.
[[nodiscard]] protocol::result<packed_texts>
apart(const std::filesystem::path& folder, std::chrono::milliseconds longest,
      const std::function<protocol::result<packed_texts>()>& work);

} // namespace convene::host
