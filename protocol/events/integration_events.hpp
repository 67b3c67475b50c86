#pragma once

#include <convene/protocol/documents/common.hpp>

#include <cstdint>

// The four events of outside systems (integration/). They name no source: it
// stands on the core event of family external_integration that carries one as
// its payload.

namespace convene::protocol {

enum class change_type : std::uint8_t { created, modified, deleted, renamed };
CONVENE_WORDS(change_type, "created", "modified", "deleted", "renamed");

/// A file changed (mplp-file-update-event.schema.json).
struct file_update_event {
  std::string file_path; ///< not empty
  protocol::change_type change_type = protocol::change_type::modified;
  std::optional<std::string> workspace_root;
  std::optional<std::string> change_summary;
  std::string timestamp;                     ///< date-time
  std::optional<std::int64_t> lines_added;   ///< from 0
  std::optional<std::int64_t> lines_removed; ///< from 0
  std::optional<std::string> previous_path;
  std::optional<std::string> encoding;
  std::optional<std::string> language;

  bool operator==(const file_update_event&) const = default;
};

enum class git_event_kind : std::uint8_t {
  commit,
  push,
  merge,
  tag,
  branch_create,
  branch_delete
};
CONVENE_WORDS(git_event_kind, "commit", "push", "merge", "tag", "branch_create",
              "branch_delete");

/// Something happened in a Git repository (mplp-git-event.schema.json).
struct git_event {
  std::string repo_url;  ///< not empty
  std::string commit_id; ///< not empty
  std::string ref_name;  ///< not empty
  git_event_kind event_kind = git_event_kind::commit;
  std::optional<std::string> author_name;
  std::optional<std::string> author_email; ///< e-mail address
  std::optional<std::string> commit_message;
  std::string timestamp;                     ///< date-time
  std::optional<std::int64_t> files_changed; ///< from 0
  std::optional<std::int64_t> insertions;    ///< from 0
  std::optional<std::int64_t> deletions;     ///< from 0
  std::optional<std::vector<std::string>> parent_commits;

  bool operator==(const git_event&) const = default;
};

/// How far a run of something outside has got.
enum class outside_status : std::uint8_t {
  pending,
  running,
  succeeded,
  failed,
  cancelled
};
CONVENE_WORDS(outside_status, "pending", "running", "succeeded", "failed",
              "cancelled");

enum class ci_stage_status : std::uint8_t {
  pending,
  running,
  succeeded,
  failed,
  cancelled,
  skipped
};
CONVENE_WORDS(ci_stage_status, "pending", "running", "succeeded", "failed",
              "cancelled", "skipped");

struct ci_stage {
  std::string stage_name;
  ci_stage_status status = ci_stage_status::pending;
  std::optional<std::int64_t> duration_ms; ///< from 0

  bool operator==(const ci_stage&) const = default;
};

enum class ci_trigger : std::uint8_t {
  push,
  pull_request,
  schedule,
  manual,
  tag,
  other
};
CONVENE_WORDS(ci_trigger, "push", "pull_request", "schedule", "manual", "tag",
              "other");

/// The state of one run of a CI pipeline (mplp-ci-event.schema.json).
struct ci_event {
  std::string ci_provider; ///< not empty
  std::string pipeline_id; ///< not empty
  std::string run_id;      ///< not empty
  outside_status status = outside_status::running;
  std::optional<std::string> started_at;   ///< date-time
  std::optional<std::string> completed_at; ///< date-time
  std::optional<std::string> branch_name;
  std::optional<std::string> commit_id;
  std::optional<std::string> run_url;      ///< URI
  std::optional<std::int64_t> duration_ms; ///< from 0
  std::optional<std::vector<ci_stage>> stages;
  std::optional<ci_trigger> trigger_kind;

  bool operator==(const ci_event&) const = default;
};

enum class tool_kind : std::uint8_t {
  formatter,
  linter,
  test_runner,
  generator,
  other
};
CONVENE_WORDS(tool_kind, "formatter", "linter", "test_runner", "generator",
              "other");

/// One call of an outside tool (mplp-tool-event.schema.json).
struct tool_event {
  std::string tool_id; ///< not empty
  protocol::tool_kind tool_kind = protocol::tool_kind::other;
  std::string invocation_id; ///< v4 UUID
  outside_status status = outside_status::running;
  std::optional<std::string> started_at;   ///< date-time
  std::optional<std::string> completed_at; ///< date-time
  std::optional<std::int64_t> exit_code;
  std::optional<std::string> output_summary;
  std::optional<std::vector<std::string>> args;
  std::optional<std::string> working_directory;

  bool operator==(const tool_event&) const = default;
};

} // namespace convene::protocol
