#pragma once

#include <convene/runtime/audit/check_workspace.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Holds the folder that a run wrote against its log: every session with a
/// result has its end there, its documents are those that the log makes, and
/// the sessions are those of scenario.json, as many as run.json says, and were
/// started with it.
class folder_comparison {
public:
  /// `log` as the user named it; nothing is compared unless it is the folder of
  /// a run.
  explicit folder_comparison(const std::string& log);

  /// Whether the session's documents are to be compared.
  [[nodiscard]] bool has_result(std::string_view id) const {
    return told_.contains(id);
  }

  /// The next event of the log.
  void feed(const log_place& place, const line_head& head,
            std::string_view line);

  /// A session has ended, with this report by replay of its log. Without
  /// `workspace`, of workspace.json only its absence is noted.
  void ended(const std::string& id, session::report report, bool workspace);

  /// After the last event. `unfinished`: sessions may not have begun yet.
  void finish(bool unfinished);

  /// The first ones, and how many there are in all.
  [[nodiscard]] const std::vector<placed_finding>& findings() const noexcept {
    return findings_;
  }
  [[nodiscard]] std::size_t findings_total() const noexcept {
    return total_;
  }

private:
  void note(std::string file, std::string rule, std::string id,
            std::string message);
  void note(const protocol::error& what);
  void compare_sessions(bool unfinished);
  /// With the scenario that the event MAPSessionStarted records.
  void compare_scenario(const std::string& id, std::string_view line);

  std::optional<output_folder> folder_;
  std::set<std::string, std::less<>> told_; ///< sessions with a result
  log_ledger found_;
  std::optional<session::spec> scenario_;
  /// Of sessions that have not begun on the log, by id.
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  /// Of sessions that have a result and have not ended.
  std::map<std::string, trace_builder, std::less<>> traces_;
  std::vector<placed_finding> findings_;
  std::size_t total_ = 0;
};

} // namespace convene::host
