#pragma once

#include <convene/actors/ports/ports.hpp>
#include <convene/lab/frail_storage/frail_storage.hpp>
#include <convene/lab/simulation/faults/seed_faults.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/log_progress.hpp>
#include <convene/runtime/log/event_log/segment_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// A seed's disk, on which its log is written in the calling thread, group by
/// group, and which fails as the seed's faults say. Who is told what is
/// durable, and when, is decided as by the thread of a log (`log_progress`).
/// What was appended and what was acknowledged is remembered beside it, so that
/// what the disk keeps can be held against that.
class faulty_log {
public:
  /// The events are those of `session`. `faults` outlives it.
  faulty_log(seed_faults& faults, std::uint64_t seed, const fault_spec& what,
             std::string_view session);
  faulty_log(const faulty_log&) = delete;
  faulty_log& operator=(const faulty_log&) = delete;

  /// A process begins: opens the log and passes each event of the session,
  /// without its line end, to `visit`. Errors, besides those of a log:
  /// `acknowledged_lost`, `log_not_appended` if it has what was never appended,
  /// and those of `damage`.
  [[nodiscard]] protocol::result<log_opening>
  open(const std::function<void(const log_place&, std::string_view)>& visit);

  /// The process has died: what it did not write is gone, and after a power cut
  /// what was not synced is, too, or not.
  void end_process();

  protocol::result<void> append(std::string_view lines);
  /// Writes and syncs everything appended so far.
  protocol::result<void> flush();
  /// Calls `then` once everything appended so far is durable, or has failed to
  /// become so; what has to be written for that is written at once.
  void call_when_kept(when_kept then);
  protocol::result<void> close();

  /// The process dies in whatever it does next.
  void kill() {
    disk_.freeze();
    is_dead_ = true;
  }

  /// By the append of this number, the log is damaged before it is opened
  /// again. Opening it must then be refused as `log_damaged` and change nothing
  /// (else the error `damage_not_noticed` or `damaged_log_changed`), whereupon
  /// what was there comes back, and the next process begins.
  void damage(std::uint32_t at) noexcept {
    damaged_by_ = at;
  }

  /// Whether the process is dead, or its log has failed for good.
  [[nodiscard]] bool is_dead() const noexcept {
    return is_dead_;
  }

  /// The events that the log has, or will have: complete lines.
  [[nodiscard]] const std::string& text() const noexcept {
    return text_;
  }

  /// The log's file; empty if it is in segments.
  [[nodiscard]] std::string file() const;

private:
  [[nodiscard]] frail_storage::fate decide(frail_storage::call what);
  [[nodiscard]] log_options options();
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] protocol::result<void> bear_damage();
  [[nodiscard]] protocol::result<void> hold_against(std::string_view found);
  [[nodiscard]] protocol::result<void> write_group(std::string_view lines);
  [[nodiscard]] protocol::result<void> write_earlier_sessions();
  void acknowledged(log_position place);

  seed_faults& faults_;
  std::uint64_t segment_bytes_;
  std::uint64_t keep_bytes_;
  std::optional<protocol::uuid> session_;
  protocol::uuid_source ids_; ///< of earlier sessions
  frail_storage disk_;
  std::string pending_;          ///< of the next group
  std::string text_;             ///< all that was appended and not lost
  std::size_t acknowledged_ = 0; ///< bytes of it
  std::size_t opened_at_ = 0;    ///< the same, where its process has begun
  log_progress progress_;        ///< from there on
  bool is_dead_ = false;
  std::optional<std::uint32_t> damaged_by_;
  std::optional<segment_writer> writer_;
};

} // namespace convene::host
