#pragma once

#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/log_counts.hpp>
#include <convene/runtime/log/event_log/session_departures.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/server/runs/run_record.hpp>
#include <convene/server/runs/run_seals.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {

/// A line of a log of runs.
struct run_line {
  protocol::uuid run;
  std::string_view event; ///< as OpenWOP writes it
  protocol::sealed_text sealed;
};

/// Nothing: it is not the line of a run's event.
[[nodiscard]] std::optional<run_line> read_run_line(std::string_view line);

/// How much of a log of runs is kept: a run that has ended is forgotten with
/// the segment in which it began.
struct run_log_keeping {
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  std::uint64_t bytes = 0;           ///< 0: any number
  std::chrono::milliseconds time{0}; ///< 0: for ever
  /// Gets to know the runs that are removed; may be null.
  std::shared_ptr<host::session_departures> removed = {};
};

/// The events of all runs on disk: an event log in segments, each line of which
/// has a run's id (as `session_id`, by which an index finds it), its event as
/// OpenWOP writes it, and a seal over the run's lines up to there. Thread-safe.
class run_log {
public:
  /// Called for each event that is on the log, in its order.
  using visitor
    = std::function<void(const protocol::uuid& run, std::string_view event)>;

  /// Opens or creates the log in a folder. Errors: those of
  /// `event_log_writer::open`, and `not_a_run_log` if a line is none of ours.
  [[nodiscard]] static protocol::result<std::unique_ptr<run_log>>
  open(const std::filesystem::path& folder, protocol::durability durable,
       const visitor& visit, const run_log_keeping& keeping = {});

  /// Why a run that was on the log when it was opened is not to be believed:
  /// rule `run_seal`.
  [[nodiscard]] std::optional<protocol::error>
  fault_of(const protocol::uuid& run) const;

  /// Appends what follows from one input of a run: all of it, or nothing. One
  /// call at a time for each run. Returns the place after it, for which
  /// `when_kept` is to be called next.
  [[nodiscard]] protocol::result<host::log_position>
  append(const protocol::uuid& run, const std::vector<event_text>& events);

  /// The place after all that was appended.
  [[nodiscard]] host::log_position appended() const {
    return writer_->appended();
  }

  [[nodiscard]] host::log_counts counts() const {
    return host::counts_of(*writer_);
  }

  /// Calls `then` once everything before `place` is durable, or can never be:
  /// at once, on the log's thread, or on that of another caller. It must not
  /// block or append. Without syncs it is this call that writes what waits.
  void when_kept(host::log_position place, host::when_kept then) {
    writer_->write_and_call(place, std::move(then));
  }

  /// The events of a run, read from disk; the rule of `fault_of`.
  [[nodiscard]] protocol::result<std::vector<event_text>>
  read(const protocol::uuid& run) const;

  /// Writes what waits, and closes the log.
  [[nodiscard]] protocol::result<void> close() {
    return writer_->close();
  }

private:
  run_log(std::filesystem::path folder,
          std::unique_ptr<host::event_log_writer> writer, run_seals seals,
          std::map<protocol::uuid, protocol::error> edited)
    : folder_{std::move(folder)}, writer_{std::move(writer)},
      edited_{std::move(edited)}, seals_{std::move(seals)} {}

  const std::filesystem::path folder_;
  const std::unique_ptr<host::event_log_writer> writer_;
  const std::map<protocol::uuid, protocol::error> edited_;
  std::mutex mutex_; ///< guards the rest, and keeps lines in the seals' order
  run_seals seals_;
};

} // namespace convene::server
