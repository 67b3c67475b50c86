#include <convene/integrations/git/apart.hpp>
#include <convene/integrations/git/handles.hpp>
#include <convene/integrations/git/repository.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;
using namespace git;

/// What HEAD is: no object if there is no commit yet.
result<object_handle> find_head(const opened& in, const fs::path& folder,
                                std::string& ref) {
  git_reference* head = nullptr;
  const int failed = library().repository_head(&head, in.repository.get());
  if (failed == GIT_EUNBORNBRANCH || failed == GIT_ENOTFOUND)
    return object_handle{};
  if (failed != 0)
    return fail(git_fault(folder, "HEAD cannot be read"));
  const reference_handle owned{head};
  if (library().reference_is_branch(head) == 1)
    ref = library().reference_shorthand(head);
  git_object* commit = nullptr;
  if (library().reference_peel(&commit, head, GIT_OBJECT_COMMIT) != 0)
    return fail(git_fault(folder, "HEAD is at no commit"));
  return object_handle{commit};
}

result<object_handle> find_commit(const opened& in, const fs::path& folder,
                                  const std::string& name) {
  git_object* commit = nullptr;
  const auto wanted = name + "^{commit}";
  if (library().revparse_single(&commit, in.repository.get(), wanted.c_str())
      != 0)
    return fail(git_fault(folder, "has no commit \"" + name + '"', "commit"));
  return object_handle{commit};
}

/// Null for no commit: as if it had no files.
result<tree_handle> tree_of(const object_handle& commit,
                            const fs::path& folder) {
  if (!commit)
    return tree_handle{};
  git_object* tree = nullptr;
  if (library().object_peel(&tree, commit.get(), GIT_OBJECT_TREE) != 0)
    return fail(git_fault(folder, "a commit has no files"));
  return tree_handle{reinterpret_cast<git_tree*>(tree)};
}

std::optional<drift_type> type_of_delta(git_delta_t status) {
  switch (status) {
    case GIT_DELTA_ADDED:
    case GIT_DELTA_COPIED:
    case GIT_DELTA_UNTRACKED:
      return drift_type::added;
    case GIT_DELTA_DELETED:
      return drift_type::deleted;
    case GIT_DELTA_RENAMED:
      return drift_type::renamed;
    case GIT_DELTA_MODIFIED:
    case GIT_DELTA_TYPECHANGE:
    case GIT_DELTA_CONFLICTED:
    case GIT_DELTA_UNREADABLE:
      return drift_type::modified;
    case GIT_DELTA_UNMODIFIED:
    case GIT_DELTA_IGNORED:
      break;
  }
  return std::nullopt;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size()
         && path[folder.size()] == '/';
}

/// Puts the changes of a diff behind the others.
class collector {
public:
  collector(const opened& in, const fs::path& folder,
            const std::string& left_out, git_drift& to)
    : in_{in}, folder_{folder}, left_out_{left_out}, to_{to} {
    library().diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS
                    | GIT_DIFF_IGNORE_SUBMODULES
                    | GIT_DIFF_DISABLE_PATHSPEC_MATCH
                    | GIT_DIFF_INCLUDE_TYPECHANGE;
    if (!in.prefix.empty())
      options.pathspec = {&prefix_, 1};
  }
  collector(const collector&) = delete;
  collector& operator=(const collector&) = delete;

  /// `failed` is what making it said.
  result<void> take(git_place where, int failed, git_diff* made) {
    const diff_handle diff{made};
    git_diff_find_options find;
    library().diff_find_options_init(&find, GIT_DIFF_FIND_OPTIONS_VERSION);
    find.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_FOR_UNTRACKED
                 | GIT_DIFF_FIND_EXACT_MATCH_ONLY;
    if (failed != 0 || library().diff_find_similar(made, &find) != 0)
      return fail(git_fault(folder_, "cannot be compared"));
    for (std::size_t i = 0; i < library().diff_num_deltas(made); ++i)
      if (auto done = take_one(where, *library().diff_get_delta(made, i));
          !done)
        return done;
    return {};
  }

  git_diff_options options{};

private:
  result<void> take_one(git_place where, const git_diff_delta& delta) {
    const auto type = type_of_delta(delta.status);
    const auto path = below(delta.old_file.path);
    if (!type || is_below(path, left_out_))
      return {};
    if (to_.changes.size() == git_changes_max)
      return fail(
        file_error(errc::limit_reached, folder_,
                   "has over " + std::to_string(git_changes_max) + " changes",
                   "git_changes_max"));
    git_change change{.where = where, .type = *type, .path = path};
    if (*type == drift_type::renamed)
      change.new_path = below(delta.new_file.path);
    to_.changes.push_back(std::move(change));
    return {};
  }

  [[nodiscard]] std::string below(const char* path) const {
    std::string_view whole{path};
    if (whole.starts_with(in_.prefix))
      whole.remove_prefix(in_.prefix.size());
    return std::string{whole};
  }

  const opened& in_;
  const fs::path& folder_;
  const std::string& left_out_;
  git_drift& to_;
  std::string prefix_text_{in_.prefix};
  char* prefix_ = prefix_text_.data();
};

result<git_drift> compare_here(const fs::path& folder, const std::string& since,
                               const std::string& left_out) {
  const auto in = open(folder);
  if (!in)
    return fail(in.error());
  auto* const repository = in->repository.get();
  git_drift made;
  const auto head = find_head(*in, folder, made.ref);
  if (!head)
    return fail(head.error());
  made.head = *head ? id_of(head->get()) : std::string{};
  made.since = made.head;
  collector changes{*in, folder, left_out, made};
  const auto head_tree = tree_of(*head, folder);
  if (!head_tree)
    return fail(head_tree.error());
  git_diff* diff = nullptr;
  if (!since.empty()) {
    const auto commit = find_commit(*in, folder, since);
    if (!commit)
      return fail(commit.error());
    made.since = id_of(commit->get());
    const auto tree = tree_of(*commit, folder);
    if (!tree)
      return fail(tree.error());
    const int failed = library().diff_tree_to_tree(
      &diff, repository, tree->get(), head_tree->get(), &changes.options);
    if (auto done = changes.take(git_place::committed, failed, diff); !done)
      return fail(std::move(done).error());
  }
  diff = nullptr;
  int failed = library().diff_tree_to_index(&diff, repository, head_tree->get(),
                                            nullptr, &changes.options);
  if (auto done = changes.take(git_place::staged, failed, diff); !done)
    return fail(std::move(done).error());
  diff = nullptr;
  failed = library().diff_index_to_workdir(&diff, repository, nullptr,
                                           &changes.options);
  if (auto done = changes.take(git_place::unstaged, failed, diff); !done)
    return fail(std::move(done).error());
  return made;
}

result<git_drift> head_here(const fs::path& folder) {
  const auto in = open(folder);
  if (!in)
    return fail(in.error());
  git_drift made;
  const auto head = find_head(*in, folder, made.ref);
  if (!head)
    return fail(head.error());
  made.head = *head ? id_of(head->get()) : std::string{};
  return made;
}

/// As `apart` passes it on.
packed_texts pack_drift(const git_drift& what) {
  packed_texts made{what.since, what.head, what.ref};
  for (const auto& each : what.changes) {
    made.push_back(std::to_string(static_cast<int>(each.where)));
    made.push_back(std::to_string(static_cast<int>(each.type)));
    made.push_back(each.path);
    made.push_back(each.new_path);
  }
  return made;
}

result<git_drift> drift_apart(const fs::path& folder,
                              std::chrono::milliseconds longest,
                              const std::function<result<git_drift>()>& work) {
  auto texts = apart(folder, longest, [&] { return work().map(pack_drift); });
  if (!texts)
    return fail(std::move(texts).error());
  auto& from = *texts;
  constexpr std::size_t head = 3;
  constexpr std::size_t each = 4;
  git_drift made{.since = from.at(0), .head = from.at(1), .ref = from.at(2)};
  for (std::size_t i = head; i + each <= from.size(); i += each)
    made.changes.push_back(
      {.where = static_cast<git_place>(from[i].at(0) - '0'),
       .type = static_cast<drift_type>(from[i + 1].at(0) - '0'),
       .path = std::move(from[i + 2]),
       .new_path = std::move(from[i + 3])});
  return made;
}

} // namespace

std::string_view to_word(git_place where) noexcept {
  switch (where) {
    case git_place::committed:
      return "committed";
    case git_place::staged:
      return "staged";
    case git_place::unstaged:
      break;
  }
  return "unstaged";
}

result<git_drift> compare_repository(const fs::path& folder,
                                     const std::string& since,
                                     const std::string& left_out,
                                     std::chrono::milliseconds longest) {
  return drift_apart(folder, longest,
                     [&] { return compare_here(folder, since, left_out); });
}

result<std::string> head_commit(const fs::path& folder) {
  auto found = drift_apart(folder, git_time_max,
                           [&] { return head_here(folder); });
  if (!found)
    return fail(std::move(found).error());
  return std::move(found->head);
}

} // namespace convene::host
