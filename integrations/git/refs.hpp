#pragma once

#include <convene/integrations/git/repository.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// The most branches and tags, and the most commits that are told at a time:
/// rule `git_refs_max`; older commits are only counted.
inline constexpr std::size_t git_refs_max = 10'000;
inline constexpr std::size_t git_commits_max = 1'000;

struct git_commit_found {
  std::string id;
  std::string ref; ///< the branch that has it
  std::string author;
  std::string summary; ///< the first line of its message
  protocol::timestamp_ms at = 0;
  std::vector<std::string> parents;
  /// The ids of the session and step that made it, by its trailers
  /// `Convene-Session` and `Convene-Step`; empty: it names none.
  std::string session_id{};
  std::string step_id{};
};

/// The branches and tags of a repository.
struct git_refs {
  std::string url; ///< of the remote `origin`, without a user; or none
  std::map<std::string, std::string> commits; ///< by refs/heads/..., refs/tags/
  /// On branches, and not to be reached from what was known; oldest first.
  std::vector<git_commit_found> added;
  std::size_t left_out = 0; ///< commits beyond `git_commits_max`
};

/// What branches and tags were at; unset: nobody knows.
using known_refs = std::optional<std::map<std::string, std::string>>;

/// Reads the repository that a folder is part of, in a process of its own as
/// `compare_repository` does. If it is not known what was there, no commit is
/// added.
[[nodiscard]] protocol::result<git_refs>
read_refs(const std::filesystem::path& folder, const known_refs& known,
          std::chrono::milliseconds longest = git_time_max);

} // namespace convene::host
