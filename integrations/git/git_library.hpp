#pragma once

#include <convene/protocol/base/error.hpp>
#include <git2.h>

// For sources in this folder only.

namespace convene::host::git {

/// The functions of libgit2 that are called, without `git_`.
// clang-format off
#define CONVENE_GIT_FUNCTIONS(use)                                             \
  use(commit_author) use(commit_free) use(commit_id) use(commit_lookup)        \
  use(commit_message) use(commit_parent_id) use(commit_parentcount)            \
  use(commit_summary) use(commit_time) use(config_free)                        \
  use(config_get_string) use(diff_find_options_init) use(diff_find_similar)    \
  use(diff_free) use(diff_get_delta) use(diff_index_to_workdir)                \
  use(diff_num_deltas) use(diff_options_init) use(diff_tree_to_index)          \
  use(diff_tree_to_tree) use(error_last) use(libgit2_init)                     \
  use(message_trailer_array_free) use(message_trailers) use(object_free)       \
  use(object_id) use(object_peel) use(oid_fromstr) use(oid_tostr_s)            \
  use(reference_free) use(reference_is_branch) use(reference_iterator_free)    \
  use(reference_iterator_new) use(reference_name) use(reference_next)          \
  use(reference_peel) use(reference_shorthand)                                 \
  use(repository_config_snapshot) use(repository_free) use(repository_head)    \
  use(repository_open_ext) use(repository_workdir) use(revparse_single)        \
  use(revwalk_free) use(revwalk_hide) use(revwalk_new) use(revwalk_next)       \
  use(revwalk_push) use(revwalk_sorting) use(tree_free)
// clang-format on

/// What is called of libgit2, which `load_git` loads.
struct git_library {
#define CONVENE_MEMBER(name) decltype(&::git_##name) name = nullptr;
  CONVENE_GIT_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Loads it once, in a process that may have threads. Error: see
/// `load_library`.
[[nodiscard]] const protocol::result<git_library>& load_git();

/// What `load_git` has loaded.
[[nodiscard]] inline const git_library& library() {
  return *load_git();
}

} // namespace convene::host::git
