#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/log_group.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>
#include <convene/runtime/log/event_log/log_progress.hpp>
#include <convene/runtime/log/event_log/segment_writer.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace convene::host {

/// Writes event lines to one log, in groups, on a thread of its own;
/// docs/events.md section 3 has the format. Lines of one thread keep their
/// order. A group is durable once it is written and, unless the durability is
/// `none`, on disk; what is not durable may be lost with the machine.
///
/// The first failure to write or to sync is final: every later call returns it,
/// and nothing more becomes durable. The log can be opened again.
class event_log_writer {
public:
  /// Opens the log and starts the thread. A new log gets its first group, which
  /// contains only `log_opened`. An existing one is refused (`log_exists`) or,
  /// with `existing_log::append`, verified from its start, truncated after its
  /// last complete group if a crash left more (`found` says how much), and
  /// appended to. Its events are passed to `visit`, if given.
  ///
  /// A log has one writer: `path` (of segments, the file `lock` beside them) is
  /// locked, and a second writer is refused with the rule `log_locked`. To read
  /// a log in order to continue it, open the writer first. Damage is refused as
  /// described at `visit_log`, with the position; nothing is changed then.
  [[nodiscard]] static protocol::result<std::unique_ptr<event_log_writer>>
  open(const std::filesystem::path& path, const log_options& options = {},
       const log_visitor& visit = {});

  event_log_writer(const event_log_writer&) = delete;
  event_log_writer& operator=(const event_log_writer&) = delete;

  /// Closes the log unless already closed.
  ~event_log_writer();

  /// What was found on opening.
  [[nodiscard]] const log_opening& found() const noexcept {
    return found_;
  }

  /// Takes one or more complete lines, each with its line end, which become
  /// adjacent in the file; returns the place after them. Callable from any
  /// thread. Takes room under a short lock, copies and returns; waits only
  /// while the buffer is full, so callers that must not wait check `congested`
  /// before they cause new events. More than the whole buffer at once is
  /// refused as `limit_reached`. With `call_follows` the thread is not woken:
  /// the caller makes one of the calls about durability next, which sees to it.
  protocol::result<log_position> append(std::string_view lines,
                                        bool call_follows = false);

  /// Whether more than half of the buffer is waiting for the disk. Cheap.
  [[nodiscard]] bool congested() const noexcept;

  /// The place after everything appended so far.
  [[nodiscard]] log_position appended() const;

  /// The place before which everything is durable.
  [[nodiscard]] log_position kept() const;

  /// Calls `then` once everything before `place` is durable, or has failed to
  /// become so: immediately on the caller's thread, or later on the log's own,
  /// in the order of these calls. It must not throw, wait or call back. Does
  /// not wait itself; the group concerned is written as soon as the previous
  /// one is.
  void call_when_kept(log_position place, when_kept then);

  /// Likewise, but without syncs (durability `none`) the caller's thread writes
  /// what waits, if that is little and nobody else is writing: no thread has to
  /// wake up for it. It then makes all calls that are due.
  void write_and_call(log_position place, when_kept then);

  /// From now on calls `each` whenever more is durable, with the place before
  /// which everything is, and once with the error if nothing more will be: on
  /// the log's thread, before the calls of `call_when_kept`. It must not throw,
  /// wait or call back. To be called before anything is appended.
  void on_kept(std::function<void(const protocol::result<log_position>&)> each);

  /// Waits until everything appended before is durable.
  [[nodiscard]] protocol::result<void> flush();

  /// The same for all groups that are closed, and closes none: with
  /// `group_end::content`, what was appended last may not be in one.
  [[nodiscard]] protocol::result<void> flush_closed();

  /// Writes what is waiting, ends the thread, makes the calls that are due and
  /// closes the file; appending is then refused. Calling it again returns the
  /// same result.
  [[nodiscard]] protocol::result<void> close();

private:
  event_log_writer(segment_writer segments, const log_options& options);

  void run();
  /// A group that waits. A half-written state cannot be gone on from.
  void write_next(std::unique_lock<std::mutex>& lock) noexcept;
  [[nodiscard]] bool may_write_here() const;
  [[nodiscard]] protocol::result<void> keep(log_group& group);
  void tell(std::unique_lock<std::mutex>& lock, const log_progress::news& what);
  void spare(std::unique_ptr<log_group> group);
  [[nodiscard]] protocol::result<void>
  wait_until_kept(std::unique_lock<std::mutex>& lock, log_position target);
  [[nodiscard]] bool by_content() const noexcept {
    return options_.closes_by == group_end::content;
  }
  [[nodiscard]] log_position closed() const; // the end of the last such group
  void urge(log_position place); // not to wait until the group is large or old
  void wait_for_group(std::unique_lock<std::mutex>& lock);
  void trim(std::unique_lock<std::mutex>& lock) noexcept;
  [[nodiscard]] log_group& group_for(std::size_t bytes);
  [[nodiscard]] std::size_t group_most() const noexcept;
  [[nodiscard]] bool is_due() const; // of the next group
  [[nodiscard]] protocol::result<void> state() const;

  const log_options options_;
  const log_opening found_;
  const std::string name_; // for errors

  // Only open() and who is writing touch it; close() once the thread is gone.
  segment_writer segments_;

  // What each append writes under the lock lies beside it.
  alignas(64) mutable std::mutex mutex_;
  log_progress progress_;
  std::deque<std::unique_ptr<log_group>> pending_; // the last one may grow
  bool is_closed_ = false;                         // the last one does not
  bool is_writing_ = false; // and makes the calls that are due
  bool closing_ = false;
  std::vector<std::unique_ptr<log_group>> spare_; // that are written
  log_position urged_ = 0;                        // somebody waits for these
  std::condition_variable work_;                  // the thread waits for lines
  std::condition_variable space_; // append and flush wait for the thread
  std::function<void(const protocol::result<log_position>&)> on_kept_;

  // Apart from the lock, since it is read without it.
  alignas(64) std::atomic<std::size_t> waiting_{0}; // appended and not kept

  std::mutex close_mutex_;
  std::thread thread_;
};

} // namespace convene::host
