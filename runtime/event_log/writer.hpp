#pragma once

#include <convene/protocol/error.hpp>
#include <convene/runtime/event_log/log_file.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace convene::host {

/// When a group is closed, and how much may wait for the disk.
struct log_options {
  /// A group is written once this much waits. What comes in while another is
  /// being written joins the next, which then can be larger.
  std::size_t group_bytes = std::size_t{256} << 10;
  /// A group is written at the latest this long after its first line.
  std::chrono::milliseconds group_interval{5};
  /// The most that waits in memory, what is just being written included.
  std::size_t buffer_bytes = std::size_t{64} << 20;
};

/// Writes event lines to one log file, in groups, by one thread of its own;
/// docs/events.md section 3 has the format. Lines of one thread keep their
/// order. Nothing is synced: an acknowledged group survives the process, not
/// the machine.
///
/// The first failure to write is final: every later call returns it.
class event_log_writer {
public:
  /// Creates the file, writes its first group, which holds `log_opened`
  /// alone, and starts the thread. Refuses a file that is not empty.
  [[nodiscard]] static protocol::result<std::unique_ptr<event_log_writer>>
  open(const std::filesystem::path& path, const log_options& options = {});

  event_log_writer(const event_log_writer&) = delete;
  event_log_writer& operator=(const event_log_writer&) = delete;

  /// Closes, if nobody did.
  ~event_log_writer();

  /// Takes one or more complete lines, each with its line end, which become
  /// neighbours in the file. Callable from any thread. Copies them under a
  /// short lock and returns; waits only while the buffer is full, so callers
  /// that must not wait look at `congested` before they cause new events.
  /// More than the whole buffer at once is refused as `limit_reached`.
  [[nodiscard]] protocol::result<void> append(std::string_view lines);

  /// Whether more than half of the buffer waits for the disk. Cheap.
  [[nodiscard]] bool congested() const noexcept;

  /// Waits until everything that was appended before is written.
  [[nodiscard]] protocol::result<void> flush();

  /// Writes what waits, ends the thread and closes the file; appending is
  /// refused from then on. Calling it again returns the same answer.
  [[nodiscard]] protocol::result<void> close();

private:
  event_log_writer(log_file file, const log_options& options);

  void run();
  [[nodiscard]] protocol::result<void> write_group(std::string& group);
  void urge(); // not to wait until the group is large or old
  void wait_for_group(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] protocol::result<void> state() const;

  const log_options options_;

  // Only open() and the thread touch these; close() once the thread is gone.
  log_file file_;
  std::uint32_t previous_crc_ = 0;

  std::mutex mutex_;
  std::condition_variable work_;  // the thread waits for lines
  std::condition_variable space_; // append and flush wait for the thread
  std::string pending_;
  std::uint64_t appended_ = 0; // bytes, ever
  std::uint64_t written_ = 0;  // of these, in the file
  std::uint64_t flush_to_ = 0; // a flush waits for these
  bool closing_ = false;
  std::optional<protocol::error> failure_;
  std::atomic<std::size_t> waiting_{0}; // appended_ - written_

  std::mutex close_mutex_;
  std::thread thread_;
};

} // namespace convene::host
