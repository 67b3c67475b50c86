#include <convene/integrations/git/git_reporter.hpp>

namespace convene::host {
namespace {

using namespace convene::protocol;

bool is_tag(const std::string& ref) {
  return ref.starts_with("refs/tags/");
}

} // namespace

std::vector<git_report>
git_events_between(const std::map<std::string, std::string>& before,
                   const git_refs& after, const std::string& name,
                   timestamp_ms now) {
  std::vector<git_report> events;
  const auto add = [&](git_event_kind kind, const std::string& ref,
                       const std::string& commit,
                       timestamp_ms at) -> git_report& {
    return events.emplace_back(
      git_report{.what = {.repo_url = after.url.empty() ? name : after.url,
                          .commit_id = commit,
                          .ref_name = ref,
                          .event_kind = kind,
                          .timestamp = format_timestamp(at)}});
  };
  for (const auto& [ref, commit] : after.commits)
    if (const auto was = before.find(ref);
        was == before.end() || (is_tag(ref) && was->second != commit))
      add(is_tag(ref) ? git_event_kind::tag : git_event_kind::branch_create,
          ref, commit, now);
  for (const auto& each : after.added) {
    auto& told = add(each.parents.size() > 1 ? git_event_kind::merge
                                             : git_event_kind::commit,
                     each.ref, each.id, each.at);
    told.session_id = each.session_id;
    told.step_id = each.step_id;
    auto& event = told.what;
    event.parent_commits = each.parents;
    if (!each.author.empty())
      event.author_name = each.author;
    if (!each.summary.empty())
      event.commit_message = each.summary;
  }
  for (const auto& [ref, commit] : before)
    if (!is_tag(ref) && !after.commits.contains(ref))
      add(git_event_kind::branch_delete, ref, commit, now);
  return events;
}

result<std::vector<git_report>> git_reporter::look(timestamp_ms now) {
  auto refs = read_refs(folder_, known_);
  if (!refs)
    return fail(std::move(refs).error());
  std::vector<git_report> events;
  if (known_)
    events = git_events_between(*known_, *refs, folder_.string(), now);
  left_out_ += refs->left_out;
  known_ = std::move(refs->commits);
  return events;
}

} // namespace convene::host
