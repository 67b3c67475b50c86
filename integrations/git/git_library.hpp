#pragma once

#include <convene/protocol/base/error.hpp>
#include <git2.h>

// For sources in this folder only.

namespace convene::host::git {

/// What is called of libgit2, which `load_git` loads.
struct git_library {
  decltype(&::git_commit_author) commit_author = nullptr;
  decltype(&::git_commit_free) commit_free = nullptr;
  decltype(&::git_commit_id) commit_id = nullptr;
  decltype(&::git_commit_lookup) commit_lookup = nullptr;
  decltype(&::git_commit_message) commit_message = nullptr;
  decltype(&::git_commit_parent_id) commit_parent_id = nullptr;
  decltype(&::git_commit_parentcount) commit_parentcount = nullptr;
  decltype(&::git_commit_summary) commit_summary = nullptr;
  decltype(&::git_commit_time) commit_time = nullptr;
  decltype(&::git_config_free) config_free = nullptr;
  decltype(&::git_config_get_string) config_get_string = nullptr;
  decltype(&::git_diff_find_options_init) diff_find_options_init = nullptr;
  decltype(&::git_diff_find_similar) diff_find_similar = nullptr;
  decltype(&::git_diff_free) diff_free = nullptr;
  decltype(&::git_diff_get_delta) diff_get_delta = nullptr;
  decltype(&::git_diff_index_to_workdir) diff_index_to_workdir = nullptr;
  decltype(&::git_diff_num_deltas) diff_num_deltas = nullptr;
  decltype(&::git_diff_options_init) diff_options_init = nullptr;
  decltype(&::git_diff_tree_to_index) diff_tree_to_index = nullptr;
  decltype(&::git_diff_tree_to_tree) diff_tree_to_tree = nullptr;
  decltype(&::git_error_last) error_last = nullptr;
  decltype(&::git_libgit2_init) libgit2_init = nullptr;
  decltype(&::git_message_trailer_array_free) message_trailer_array_free
    = nullptr;
  decltype(&::git_message_trailers) message_trailers = nullptr;
  decltype(&::git_object_free) object_free = nullptr;
  decltype(&::git_object_id) object_id = nullptr;
  decltype(&::git_object_peel) object_peel = nullptr;
  decltype(&::git_oid_fromstr) oid_fromstr = nullptr;
  decltype(&::git_oid_tostr_s) oid_tostr_s = nullptr;
  decltype(&::git_reference_free) reference_free = nullptr;
  decltype(&::git_reference_is_branch) reference_is_branch = nullptr;
  decltype(&::git_reference_iterator_free) reference_iterator_free = nullptr;
  decltype(&::git_reference_iterator_new) reference_iterator_new = nullptr;
  decltype(&::git_reference_name) reference_name = nullptr;
  decltype(&::git_reference_next) reference_next = nullptr;
  decltype(&::git_reference_peel) reference_peel = nullptr;
  decltype(&::git_reference_shorthand) reference_shorthand = nullptr;
  decltype(&::git_repository_config_snapshot) repository_config_snapshot
    = nullptr;
  decltype(&::git_repository_free) repository_free = nullptr;
  decltype(&::git_repository_head) repository_head = nullptr;
  decltype(&::git_repository_open_ext) repository_open_ext = nullptr;
  decltype(&::git_repository_workdir) repository_workdir = nullptr;
  decltype(&::git_revparse_single) revparse_single = nullptr;
  decltype(&::git_revwalk_free) revwalk_free = nullptr;
  decltype(&::git_revwalk_hide) revwalk_hide = nullptr;
  decltype(&::git_revwalk_new) revwalk_new = nullptr;
  decltype(&::git_revwalk_next) revwalk_next = nullptr;
  decltype(&::git_revwalk_push) revwalk_push = nullptr;
  decltype(&::git_revwalk_sorting) revwalk_sorting = nullptr;
  decltype(&::git_tree_free) tree_free = nullptr;
};

/// Loads it once, in a process that may have threads. Error: see
/// `load_library`.
[[nodiscard]] const protocol::result<git_library>& load_git();

/// What `load_git` has loaded.
[[nodiscard]] inline const git_library& library() {
  return *load_git();
}

} // namespace convene::host::git
