#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/drift/drift.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The most changes that are told: rule `git_changes_max`.
inline constexpr std::size_t git_changes_max = 100'000;

/// How long libgit2 may take: rule `git_time_max`.
inline constexpr std::chrono::milliseconds git_time_max{120'000};

/// How far a change has got.
enum class git_place : std::uint8_t {
  committed, ///< between the commit and HEAD
  staged,    ///< between HEAD and the index
  unstaged   ///< between the index and the files
};

/// `committed`, `staged` or `unstaged`.
[[nodiscard]] std::string_view to_word(git_place where) noexcept;

/// A file that differs. For a renamed one, `path` is the old path.
struct git_change {
  git_place where = git_place::unstaged;
  protocol::drift_type type = protocol::drift_type::modified;
  std::string path;     ///< below the folder
  std::string new_path; ///< of a renamed file

  bool operator==(const git_change&) const = default;
};

/// A repository against a commit of its.
struct git_drift {
  std::string since; ///< the id of the commit; empty: there was none
  std::string head;  ///< that of HEAD; empty: there is no commit yet
  std::string ref;   ///< the branch that HEAD is on; empty: on none
  std::vector<git_change> changes; ///< in the order of places and paths

  [[nodiscard]] bool moved() const noexcept {
    return since != head;
  }
};

/// Compares the repository that a folder is part of with a commit, by anything
/// that names one; empty: HEAD. Only files below the folder count, files that
/// Git ignores do not, nor do submodules and what is below `left_out`. Nothing
/// is written, and no program of the repository is run. Fails if there is no
/// repository with files, if it belongs to somebody else, or if there is no
/// such commit (rule `commit`). The work is done in a process that is forked
/// off; other threads should not run.
[[nodiscard]] protocol::result<git_drift>
compare_repository(const std::filesystem::path& folder,
                   const std::string& since, const std::string& left_out,
                   std::chrono::milliseconds longest = git_time_max);

/// The id of the commit that HEAD is at; empty: there is none yet.
[[nodiscard]] protocol::result<std::string>
head_commit(const std::filesystem::path& folder);

} // namespace convene::host
