#pragma once

#include <convene/integrations/git/refs.hpp>
#include <convene/protocol/events/integration_events.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

struct git_report {
  protocol::git_event what;
  std::string session_id; ///< what made the commit; empty: nobody says
  std::string step_id;
};

/// What happened to a repository's branches and tags between two looks at them:
/// branch_create and tag for new ones, commit or (of several parents) merge for
/// each new commit, branch_delete. A repository without a remote `origin` is
/// named by `name`; a deletion and a creation have the time `now`.
[[nodiscard]] std::vector<git_report>
git_events_between(const std::map<std::string, std::string>& before,
                   const git_refs& after, const std::string& name,
                   protocol::timestamp_ms now);

/// Tells what happens to a repository from now on.
class git_reporter {
public:
  explicit git_reporter(std::filesystem::path folder)
    : folder_{std::move(folder)} {}

  /// The first call learns what is there, and tells nothing.
  [[nodiscard]] protocol::result<std::vector<git_report>>
  look(protocol::timestamp_ms now);

  /// Commits that were more than are told at a time.
  [[nodiscard]] std::size_t left_out() const noexcept {
    return left_out_;
  }

private:
  std::filesystem::path folder_;
  known_refs known_;
  std::size_t left_out_ = 0;
};

} // namespace convene::host
