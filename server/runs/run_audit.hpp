#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/server/runs/run_seals.hpp>
#include <convene/server/runs/workflow_store.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace convene::server {

/// Judges the lines of a log of runs: their form (rule `not_a_run_log`), their
/// seals (`run_seal`), and the order and content of each run's events by the
/// definition that it was made of (the rules of `run_machine::fold` and
/// `workflow_store::kept`). Of each run, the first finding only.
class run_audit {
public:
  using report
    = std::function<void(const std::string& run_id, const protocol::error&)>;

  /// `definitions` is the folder of those that runs were made of; if it is not
  /// there, runs are not judged by them.
  /// `is_trimmed`: the log has lost its first segments on purpose, so the
  /// beginning of a run may be missing. Such a run must end (`run_end_lost`),
  /// and is not judged by its definition.
  run_audit(const std::filesystem::path& definitions, bool is_trimmed,
            report to);

  /// The log's next line.
  void feed(const host::log_place& place, std::string_view line);

  /// After the last line. `is_whole`: the log was read to its end, so each run
  /// must be able to go on from there.
  void finish(bool is_whole);

  [[nodiscard]] std::size_t runs() const noexcept {
    return seen_.size();
  }
  /// Those that were judged by their definitions.
  [[nodiscard]] std::size_t judged() const noexcept {
    return judged_;
  }

private:
  struct open_run {
    std::string id;
    std::string file;
    std::size_t line = 0;                        ///< the last one
    bool is_cut = false;                         ///< its beginning was removed
    std::optional<session::run_machine> machine; ///< none: it is not judged
  };

  [[nodiscard]] open_run& run_of(const protocol::uuid& id,
                                 std::string_view event);
  void note(const protocol::uuid& run, protocol::error what,
            const std::string& file, std::size_t line);

  report to_;
  std::optional<workflow_store> definitions_;
  const bool is_trimmed_;
  run_seals seals_;
  std::map<protocol::uuid, open_run> open_;
  std::set<protocol::uuid> seen_;
  std::set<protocol::uuid> wrong_; ///< runs with a finding
  std::size_t judged_ = 0;
};

} // namespace convene::server
