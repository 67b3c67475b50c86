#pragma once

#include <convene/runtime/audit/check_workspace.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The sessions of a log, computed again from their recorded inputs (rule
/// recomputed): what the session machine makes otherwise is a finding. Only
/// sessions whose log has the inputs (can_be_recomputed) and that were
/// written by this program's rules.
class replay_comparison {
public:
  /// Who wants the report of a session that has ended as its log says.
  struct documents {
    std::function<bool(std::string_view session_id)> has_documents;
    log_replay::end_visitor on_end;
  };

  explicit replay_comparison(documents of);

  /// The next event of the log, and its text.
  void feed(const log_place& place, std::string_view text,
            const protocol::json::value& event);

  struct outcome {
    std::size_t sessions = 0;             ///< that were computed again
    std::vector<placed_finding> findings; ///< the first ones
    std::size_t findings_total = 0;
    /// Sessions that have documents and could not be computed to their end.
    std::size_t documents_left = 0;
  };

  /// To be called once, after the last event. `log` is the file of findings
  /// that have no line.
  [[nodiscard]] outcome finish(const std::string& log);

private:
  documents documents_;
  std::set<std::string, std::less<>> wanted_; ///< sessions
  log_replay again_;
};

} // namespace convene::host
