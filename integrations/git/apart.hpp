#pragma once

#include <convene/protocol/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// What one process tells the other: texts without zero bytes.
using packed_texts = std::vector<std::string>;

/// How much memory the work may take beyond what is in use: rule `git_failed`.
inline constexpr std::size_t git_memory_max = std::size_t{2} << 30U;

/// Does the work in a process of its own, which is ended after `longest` (rule
/// `git_time_max`) or with this one. libgit2 1.5 does not end on some damaged
/// objects, so what a stranger's repository does to it stays over there:
/// opening a pipe in place of a file fails at once instead of waiting for a
/// writer, and so does reading a file that is larger than `git_memory_max`.
[[nodiscard]] protocol::result<packed_texts>
apart(const std::filesystem::path& folder, std::chrono::milliseconds longest,
      const std::function<protocol::result<packed_texts>()>& work);

} // namespace convene::host
