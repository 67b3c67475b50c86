#include <boost/json/array.hpp>
#include <convene/integrations/webhooks/github_events.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/members.hpp>

#include <cstddef>
#include <set>
#include <string>

namespace convene::server {
namespace {

namespace json = boost::json;

using protocol::integer_of;
using protocol::object_of;
using protocol::text_of;

bool is_set(const json::object& from, const char* name) {
  const auto* const found = from.if_contains(name);
  return found != nullptr && *found == true;
}

void put_text(json::object& to, const char* name, std::string_view text) {
  if (!text.empty())
    to[name] = text;
}

/// When a push was: the repository says when it was pushed to last, in seconds
/// since 1970 or as a time. A commit's own time may be long before, and the
/// same again after a forced push.
std::string time_of_push(const json::object& body) {
  const auto& repository = object_of(body, "repository");
  if (const auto seconds = integer_of(repository, "pushed_at");
      seconds && *seconds >= 0 && *seconds < protocol::timestamp_max / 1'000)
    return protocol::format_timestamp(*seconds * 1'000);
  if (const auto text = text_of(repository, "pushed_at"); !text.empty())
    return std::string{text};
  return std::string{text_of(object_of(body, "head_commit"), "timestamp")};
}

std::size_t files_of(const json::object& body) {
  std::set<std::string_view> names;
  const auto* const commits = body.if_contains("commits");
  if (commits == nullptr || !commits->is_array())
    return 0;
  for (const auto& each : commits->get_array())
    if (const auto* const commit = each.if_object())
      for (const auto* member : {"added", "modified", "removed"})
        for (const auto name : protocol::texts_of(*commit, member))
          names.insert(name);
  return names.size();
}

std::optional<json::object> from_push(const json::object& body) {
  constexpr std::string_view heads = "refs/heads/";
  constexpr std::string_view tags = "refs/tags/";
  const auto ref = text_of(body, "ref");
  const bool is_tag = ref.starts_with(tags);
  const bool is_deleted = is_set(body, "deleted");
  if (is_tag && is_deleted)
    return std::nullopt;
  const auto& repository = object_of(body, "repository");
  const auto& head = object_of(body, "head_commit");
  json::object made;
  const auto url = text_of(repository, "clone_url");
  put_text(made, "repo_url",
           url.empty() ? text_of(repository, "html_url") : url);
  put_text(made, "commit_id", text_of(body, is_deleted ? "before" : "after"));
  put_text(made, "ref_name",
           is_tag                   ? ref.substr(tags.size())
           : ref.starts_with(heads) ? ref.substr(heads.size())
                                    : ref);
  made["event_kind"] = is_tag                    ? "tag"
                       : is_deleted              ? "branch_delete"
                       : is_set(body, "created") ? "branch_create"
                                                 : "push";
  put_text(made, "timestamp", time_of_push(body));
  put_text(made, "author_name", text_of(object_of(head, "author"), "name"));
  put_text(made, "commit_message", text_of(head, "message"));
  if (body.contains("commits"))
    made["files_changed"] = files_of(body);
  return made;
}

/// Of GitHub's status and conclusion; empty: neither is known.
std::string_view ci_status(const json::object& run) {
  const auto status = text_of(run, "status");
  const auto conclusion = text_of(run, "conclusion");
  if (status == "in_progress")
    return "running";
  if (status != "completed")
    return status == "queued" || status == "requested" || status == "waiting"
               || status == "pending"
             ? "pending"
             : "";
  if (conclusion == "success" || conclusion == "neutral"
      || conclusion == "skipped")
    return "succeeded";
  if (conclusion == "cancelled" || conclusion == "stale")
    return "cancelled";
  return conclusion.empty() ? "" : "failed";
}

json::object from_run(const json::object& body, const json::object& run) {
  json::object made;
  const auto repository = text_of(object_of(body, "repository"), "full_name");
  if (!repository.empty())
    made["ci_provider"] = "github/" + std::string{repository};
  put_text(made, "pipeline_id", text_of(run, "name"));
  put_text(made, "status", ci_status(run));
  put_text(made, "commit_id", text_of(run, "head_sha"));
  put_text(made, "run_url", text_of(run, "html_url"));
  return made;
}

std::optional<json::object> from_check(const json::object& body) {
  // Others ask somebody to do something.
  const auto action = text_of(body, "action");
  if (action != "created" && action != "completed")
    return std::nullopt;
  const auto& run = object_of(body, "check_run");
  auto made = from_run(body, run);
  if (const auto id = integer_of(run, "id"))
    made["run_id"] = std::to_string(*id);
  put_text(made, "branch_name",
           text_of(object_of(run, "check_suite"), "head_branch"));
  put_text(made, "started_at", text_of(run, "started_at"));
  put_text(made, "completed_at", text_of(run, "completed_at"));
  return made;
}

std::optional<json::object> from_workflow(const json::object& body) {
  const auto& run = object_of(body, "workflow_run");
  auto made = from_run(body, run);
  // One that is run again keeps its id.
  if (const auto id = integer_of(run, "id"))
    made["run_id"]
      = std::to_string(*id) + "."
        + std::to_string(integer_of(run, "run_attempt").value_or(1));
  put_text(made, "branch_name", text_of(run, "head_branch"));
  put_text(made, "started_at", text_of(run, "run_started_at"));
  if (text_of(run, "status") == "completed")
    put_text(made, "completed_at", text_of(run, "updated_at"));
  return made;
}

} // namespace

std::optional<json::object> from_github(std::string_view event,
                                        const json::object& body) {
  std::optional<json::object> payload;
  if (event == "push")
    payload = from_push(body);
  else if (event == "check_run")
    payload = from_check(body);
  else if (event == "workflow_run")
    payload = from_workflow(body);
  if (!payload)
    return std::nullopt;
  return json::object{{"event_type",
                       event == "push" ? "git_operation" : "ci_pipeline"},
                      {"payload", *std::move(payload)}};
}

} // namespace convene::server
