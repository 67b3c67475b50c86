#pragma once

#include <convene/runtime/integrations/git/repository.hpp>

#include <functional>

namespace convene::host {

/// Does the work in a process of its own, which is ended after `longest` (rule
/// `git_time_max`) or with this one. libgit2 1.5 does not end on some damaged
/// objects, so what a stranger's repository does to it stays over there.
[[nodiscard]] protocol::result<git_drift>
apart(const std::filesystem::path& folder, std::chrono::milliseconds longest,
      const std::function<protocol::result<git_drift>()>& work);

} // namespace convene::host
