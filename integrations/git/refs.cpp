#include <convene/integrations/git/apart.hpp>
#include <convene/integrations/git/handles.hpp>
#include <convene/integrations/git/refs.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
using namespace git;
namespace fs = std::filesystem;

using iterator_handle
  = std::unique_ptr<git_reference_iterator,
                    freed_by<&git_library::reference_iterator_free>>;
using walk_handle
  = std::unique_ptr<git_revwalk, freed_by<&git_library::revwalk_free>>;
using commit_handle
  = std::unique_ptr<git_commit, freed_by<&git_library::commit_free>>;
using config_handle
  = std::unique_ptr<git_config, freed_by<&git_library::config_free>>;

constexpr std::string_view branches = "refs/heads/";
constexpr std::string_view tags = "refs/tags/";

/// `https://user:password@host/path` says more than where it is.
std::string without_user(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos)
    return std::string{url};
  const auto begin = scheme + 3;
  const auto end = std::min(url.find('/', begin), url.size());
  const auto at = url.substr(0, end).rfind('@');
  if (at == url.npos || at < begin)
    return std::string{url};
  return std::string{url.substr(0, begin)}.append(url.substr(at + 1));
}

/// As it is configured: git_remote_lookup would rewrite it by patterns, and
/// leaks memory for each that does not match (libgit2 1.5).
std::string url_of(git_repository* repository) {
  git_config* found = nullptr;
  if (library().repository_config_snapshot(&found, repository) != 0)
    return {};
  const config_handle config{found};
  const char* url = nullptr;
  if (library().config_get_string(&url, found, "remote.origin.url") != 0)
    return {};
  return sanitize_utf8(without_user(url));
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string{} : sanitize_utf8(text);
}

result<void> read_names(git_repository* repository, const fs::path& folder,
                        git_refs& to) {
  git_reference_iterator* found = nullptr;
  if (library().reference_iterator_new(&found, repository) != 0)
    return fail(git_fault(folder, "its branches cannot be read"));
  const iterator_handle all{found};
  for (git_reference* next = nullptr;
       library().reference_next(&next, found) == 0;) {
    const reference_handle ref{next};
    const std::string name{library().reference_name(next)};
    git_object* commit = nullptr;
    if ((!name.starts_with(branches) && !name.starts_with(tags))
        || sanitize_utf8(name) != name
        || library().reference_peel(&commit, next, GIT_OBJECT_COMMIT) != 0)
      continue;
    const object_handle owned{commit};
    if (to.commits.size() == git_refs_max)
      return fail(file_error(errc::limit_reached, folder,
                             "has over " + std::to_string(git_refs_max)
                               + " branches and tags",
                             "git_refs_max"));
    to.commits.emplace(name, id_of(commit));
  }
  return {};
}

/// What a commit's message says of who made it; only ids count.
void read_trailers(git_commit* commit, git_commit_found& to) {
  git_message_trailer_array all{};
  const auto* const message = library().commit_message(commit);
  if (message == nullptr || library().message_trailers(&all, message) != 0)
    return;
  for (const auto& each : std::span{all.trailers, all.count}) {
    const std::string_view key{each.key};
    auto* const id = key == "Convene-Session" ? &to.session_id
                     : key == "Convene-Step"  ? &to.step_id
                                              : nullptr;
    if (id != nullptr && parse_uuid(each.value))
      *id = each.value;
  }
  library().message_trailer_array_free(&all);
}

/// A commit says any second that its author likes.
timestamp_ms time_of(const git_commit* commit) {
  constexpr std::int64_t second_ms = 1'000;
  return std::clamp<std::int64_t>(library().commit_time(commit), 0,
                                  timestamp_max / second_ms)
         * second_ms;
}

git_commit_found described(git_commit* commit, const std::string& ref) {
  git_commit_found made{
    .id = library().oid_tostr_s(library().commit_id(commit)),
    .ref = ref,
    .author = text_or_empty(library().commit_author(commit)->name),
    .summary = text_or_empty(library().commit_summary(commit)),
    .at = time_of(commit)};
  for (unsigned i = 0; i < library().commit_parentcount(commit); ++i)
    made.parents.emplace_back(
      library().oid_tostr_s(library().commit_parent_id(commit, i)));
  read_trailers(commit, made);
  return made;
}

/// What a branch has that nothing known has.
result<void> read_added(git_repository* repository, const fs::path& folder,
                        const std::string& ref, const std::string& tip,
                        const std::map<std::string, std::string>& known,
                        git_refs& to) {
  git_revwalk* made = nullptr;
  git_oid id;
  if (library().revwalk_new(&made, repository) != 0
      || library().oid_fromstr(&id, tip.c_str()) != 0
      || library().revwalk_push(made, &id) != 0)
    return fail(git_fault(folder, "the commits of " + ref + " cannot be read"));
  const walk_handle walk{made};
  library().revwalk_sorting(made, GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME);
  for (const auto& [name, commit] : known)
    if (library().oid_fromstr(&id, commit.c_str()) == 0)
      library().revwalk_hide(made, &id); // it may be gone
  std::vector<git_commit_found> found;
  while (library().revwalk_next(&id, made) == 0) {
    if (to.added.size() + found.size() == git_commits_max) {
      ++to.left_out;
      continue;
    }
    git_commit* commit = nullptr;
    if (library().commit_lookup(&commit, repository, &id) != 0)
      return fail(git_fault(folder, "a commit of " + ref + " cannot be read"));
    const commit_handle owned{commit};
    found.push_back(described(commit, ref));
  }
  std::ranges::reverse(found);
  to.added.insert(to.added.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  return {};
}

result<git_refs> refs_here(const fs::path& folder, const known_refs& known) {
  const auto in = git::open(folder);
  if (!in)
    return fail(in.error());
  auto* const repository = in->repository.get();
  git_refs made;
  made.url = url_of(repository);
  if (auto done = read_names(repository, folder, made); !done)
    return fail(std::move(done).error());
  if (!known)
    return made;
  auto seen = *known; // a commit is told once, of the first branch that has it
  for (const auto& [name, commit] : made.commits) {
    const auto before = known->find(name);
    if (!name.starts_with(branches)
        || (before != known->end() && before->second == commit))
      continue;
    if (auto done = read_added(repository, folder, name, commit, seen, made);
        !done)
      return fail(std::move(done).error());
    seen["new " + name] = commit;
  }
  return made;
}

packed_texts pack_refs(const git_refs& what) {
  packed_texts made{what.url, std::to_string(what.left_out),
                    std::to_string(what.commits.size())};
  for (const auto& [name, commit] : what.commits) {
    made.push_back(name);
    made.push_back(commit);
  }
  for (const auto& each : what.added) {
    for (const auto& text :
         {each.id, each.ref, each.author, each.summary, each.session_id,
          each.step_id, std::to_string(each.at),
          std::to_string(each.parents.size())})
      made.push_back(text);
    made.insert(made.end(), each.parents.begin(), each.parents.end());
  }
  return made;
}

/// Takes one text after the other; what is not there is empty.
class texts_reader {
public:
  explicit texts_reader(packed_texts& from) : from_{from} {}

  [[nodiscard]] bool at_end() const noexcept {
    return place_ >= from_.size();
  }
  std::string text() {
    return at_end() ? std::string{} : std::move(from_[place_++]);
  }
  std::int64_t number() {
    const auto written = text();
    std::int64_t value = 0;
    std::from_chars(written.data(), written.data() + written.size(), value);
    return value;
  }

private:
  packed_texts& from_;
  std::size_t place_ = 0;
};

} // namespace

result<git_refs> read_refs(const fs::path& folder, const known_refs& known,
                           std::chrono::milliseconds longest) {
  auto texts = apart(folder, longest,
                     [&] { return refs_here(folder, known).map(pack_refs); });
  if (!texts)
    return fail(std::move(texts).error());
  texts_reader from{*texts};
  git_refs made{.url = from.text()};
  made.left_out = static_cast<std::size_t>(from.number());
  for (auto refs = from.number(); refs > 0 && !from.at_end(); --refs) {
    auto name = from.text();
    made.commits.emplace(std::move(name), from.text());
  }
  while (!from.at_end()) {
    git_commit_found each{.id = from.text(),
                          .ref = from.text(),
                          .author = from.text(),
                          .summary = from.text()};
    each.session_id = from.text();
    each.step_id = from.text();
    each.at = from.number();
    for (auto parents = from.number(); parents > 0 && !from.at_end(); --parents)
      each.parents.push_back(from.text());
    made.added.push_back(std::move(each));
  }
  return made;
}

} // namespace convene::host
