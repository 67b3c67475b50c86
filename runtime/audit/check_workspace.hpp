#pragma once

#include <convene/runtime/audit/findings.hpp>
#include <convene/session/workspace/fold.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// The workspaces that a log makes, compared with those that a run wrote beside
/// it (rule workspace_matches_log). Keeps those of sessions that have not
/// ended.
class workspace_comparison {
public:
  /// `log` as the user named it: a log or the folder of a run.
  explicit workspace_comparison(std::filesystem::path log);

  /// The next event of the log.
  void feed(const protocol::json::value& event);

  /// The first ones, and how many there are in all.
  [[nodiscard]] const std::vector<placed_finding>& findings() const noexcept {
    return findings_;
  }
  [[nodiscard]] std::size_t findings_total() const noexcept {
    return total_;
  }

private:
  void note(const std::string& id, const std::filesystem::path& file,
            std::string message);
  void compare(const std::string& id, const session::workspace_fold& fold);

  std::filesystem::path folder_;
  /// None where the log makes no sense.
  std::map<std::string, std::optional<session::workspace_fold>> folds_;
  std::vector<placed_finding> findings_;
  std::size_t total_ = 0;
};

} // namespace convene::host
