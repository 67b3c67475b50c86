#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/conversation/interrupt.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::server {

/// A node of a run that waits for an answer.
struct open_interrupt {
  std::string node_id;
  std::string interrupt_id;
  protocol::interrupt_kind kind{};
  std::optional<protocol::timestamp_ms> deadline;

  bool operator==(const open_interrupt&) const = default;
};

/// A run, in short.
struct run_row {
  protocol::uuid id;
  std::string workflow_id;
  session::run_status status{};
  protocol::timestamp_ms started_at = 0;
  protocol::timestamp_ms ended_at = 0; ///< of one that has ended
  std::size_t events = 0;
  std::vector<open_interrupt> waiting;
  bool is_broken = false;    ///< it cannot be read or written, so it stops
  bool has_beginning = true; ///< false: its first events were removed
};

/// What waits for an answer in a run; nothing does in a replay.
[[nodiscard]] std::vector<open_interrupt>
open_interrupts(const session::run_machine& of);

/// The row of a run as its machine has it.
[[nodiscard]] run_row row_of(const protocol::uuid& id,
                             const session::run_machine& of);

/// The runs of a log, as far as their events are durable. Thread-safe.
class run_catalog {
public:
  /// Adds a run, or changes its row, unless that is of later events.
  void put(run_row row);

  /// Takes the next event of a log that is read: those that begin and end runs
  /// count. Returns whether the run has ended with it. One whose first event is
  /// not its first is then dropped: its beginning was removed.
  bool read(const protocol::uuid& run, std::string_view event);

  /// Drops a run; false: it has not ended, or is not there.
  bool drop_ended(const protocol::uuid& run);

  /// The run does not go on, since it cannot be read or written.
  void mark_broken(const protocol::uuid& run);

  /// Whether the run is there and has ended.
  [[nodiscard]] bool has_ended(const protocol::uuid& run) const;

  struct page {
    std::vector<run_row> rows;
    std::size_t next = 0; ///< for `from`; 0: there are no more
  };

  /// The runs of these statuses, or of any if it is empty, the latest first:
  /// from position `from` on, which counts from the first run; 0: from the
  /// last one. Where no status of an end is wanted, those that have ended cost
  /// nothing; nor do they in `list_waiting`.
  [[nodiscard]] page list(std::size_t from, std::size_t limit,
                          const std::vector<session::run_status>& wanted) const;

  /// The same of those in which something waits for an answer.
  [[nodiscard]] page list_waiting(std::size_t from, std::size_t limit) const;

  /// The row of a run.
  [[nodiscard]] std::optional<run_row> find(const protocol::uuid& run) const;

  /// How many have ended.
  [[nodiscard]] std::size_t ended() const;

private:
  struct uuid_hash {
    std::size_t operator()(const protocol::uuid& id) const noexcept {
      return static_cast<std::size_t>(id.low);
    }
  };

  [[nodiscard]] run_row& row_at(const protocol::uuid& run);
  void note_end(const protocol::uuid& run);
  void drop(const protocol::uuid& run);

  /// Calls `take` with places of rows before `from`, the last one first, until
  /// it returns false.
  template <class Take>
  void visit_open(std::size_t from, Take take) const;

  mutable std::mutex mutex_;            ///< guards what follows
  std::map<std::size_t, run_row> rows_; ///< in the order in which they began
  std::size_t next_place_ = 0;
  std::unordered_map<protocol::uuid, std::size_t, uuid_hash> places_;
  std::set<std::size_t> open_; ///< places of runs that have not ended
  std::size_t ended_ = 0;
};

} // namespace convene::server
