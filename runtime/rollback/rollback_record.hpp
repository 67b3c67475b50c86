#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/seal.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/graph/graph.hpp>
#include <convene/session/single_agent/rollback_book.hpp>
#include <convene/session/single_agent/run_stages.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convene::host {

/// Where a run keeps its rollbacks.
[[nodiscard]] std::filesystem::path
rollback_file_of(const std::filesystem::path& run);

/// Whether a rollback of the run was ever planned.
[[nodiscard]] bool was_rolled_back(const std::filesystem::path& run);

/// Reads the stages of a run, or of an attempt at compensations, from the log
/// of its session; what a kill left at the log's end is passed over.
[[nodiscard]] protocol::result<session::run_stages>
read_stages(const std::filesystem::path& run);

/// The rollbacks of a single agent's run, in a log of their own beside the
/// run's, which is only read.
class rollback_record {
public:
  /// Sees each event of rollback.jsonl and the number of its line, before the
  /// book has it.
  using visitor
    = std::function<void(const rollback_record& before, std::size_t line,
                         const boost::json::object& event)>;

  /// Reads run and record. An event that cannot follow is an error with its
  /// line, and the rules of `session::rollback_book`, or `rollback_seal` for a
  /// line that was edited.
  [[nodiscard]] static protocol::result<rollback_record>
  read(const std::filesystem::path& run, const visitor& visit = {});

  [[nodiscard]] const std::filesystem::path& run() const noexcept {
    return run_;
  }
  [[nodiscard]] const session::run_stages& stages() const noexcept {
    return *stages_;
  }
  [[nodiscard]] const session::rollback_book& book() const noexcept {
    return *book_;
  }

  /// The graph at the stage of this place: what the log makes up to there.
  [[nodiscard]] protocol::result<protocol::project_graph>
  graph_at(std::size_t place) const;

  /// That the graph is that of the stage again: a bulk with what it loses.
  [[nodiscard]] protocol::result<boost::json::object>
  graph_rolled_back(const session::rollback& what) const;

  /// The id of the next event.
  [[nodiscard]] std::string next_event_id() const;
  /// The time before which the next event cannot be: that of the last one, of
  /// the rollbacks or of the run.
  [[nodiscard]] protocol::timestamp_ms earliest() const;

  /// Gives events without id and time both, appends them together and waits
  /// until they are on disk.
  [[nodiscard]] protocol::result<void>
  append(const std::vector<boost::json::object>& events,
         protocol::timestamp_ms at);

  /// Calls `visit` with the first events of the run's log, this many.
  [[nodiscard]] protocol::result<void>
  visit_run(std::uint64_t count,
            const std::function<protocol::result<void>(
              const boost::json::object& event)>& visit) const;

private:
  rollback_record() = default;

  std::filesystem::path run_;
  std::unique_ptr<session::run_stages> stages_;
  std::unique_ptr<session::rollback_book> book_;
  protocol::seal_chain seals_; ///< of the record's lines
};

} // namespace convene::host
