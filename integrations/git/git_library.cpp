#include <convene/integrations/git/git_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host::git {
namespace {

protocol::result<git_library> load_functions() {
  git_library made;
  return load_library(
           CONVENE_LIBGIT2,
           {late("git_commit_author", made.commit_author),
            late("git_commit_free", made.commit_free),
            late("git_commit_id", made.commit_id),
            late("git_commit_lookup", made.commit_lookup),
            late("git_commit_message", made.commit_message),
            late("git_commit_parent_id", made.commit_parent_id),
            late("git_commit_parentcount", made.commit_parentcount),
            late("git_commit_summary", made.commit_summary),
            late("git_commit_time", made.commit_time),
            late("git_config_free", made.config_free),
            late("git_config_get_string", made.config_get_string),
            late("git_diff_find_options_init", made.diff_find_options_init),
            late("git_diff_find_similar", made.diff_find_similar),
            late("git_diff_free", made.diff_free),
            late("git_diff_get_delta", made.diff_get_delta),
            late("git_diff_index_to_workdir", made.diff_index_to_workdir),
            late("git_diff_num_deltas", made.diff_num_deltas),
            late("git_diff_options_init", made.diff_options_init),
            late("git_diff_tree_to_index", made.diff_tree_to_index),
            late("git_diff_tree_to_tree", made.diff_tree_to_tree),
            late("git_error_last", made.error_last),
            late("git_libgit2_init", made.libgit2_init),
            late("git_message_trailer_array_free",
                 made.message_trailer_array_free),
            late("git_message_trailers", made.message_trailers),
            late("git_object_free", made.object_free),
            late("git_object_id", made.object_id),
            late("git_object_peel", made.object_peel),
            late("git_oid_fromstr", made.oid_fromstr),
            late("git_oid_tostr_s", made.oid_tostr_s),
            late("git_reference_free", made.reference_free),
            late("git_reference_is_branch", made.reference_is_branch),
            late("git_reference_iterator_free", made.reference_iterator_free),
            late("git_reference_iterator_new", made.reference_iterator_new),
            late("git_reference_name", made.reference_name),
            late("git_reference_next", made.reference_next),
            late("git_reference_peel", made.reference_peel),
            late("git_reference_shorthand", made.reference_shorthand),
            late("git_repository_config_snapshot",
                 made.repository_config_snapshot),
            late("git_repository_free", made.repository_free),
            late("git_repository_head", made.repository_head),
            late("git_repository_open_ext", made.repository_open_ext),
            late("git_repository_workdir", made.repository_workdir),
            late("git_revparse_single", made.revparse_single),
            late("git_revwalk_free", made.revwalk_free),
            late("git_revwalk_hide", made.revwalk_hide),
            late("git_revwalk_new", made.revwalk_new),
            late("git_revwalk_next", made.revwalk_next),
            late("git_revwalk_push", made.revwalk_push),
            late("git_revwalk_sorting", made.revwalk_sorting),
            late("git_tree_free", made.tree_free)})
    .map([&] { return made; });
}

} // namespace

const protocol::result<git_library>& load_git() {
  static const auto made = load_functions();
  return made;
}

} // namespace convene::host::git
