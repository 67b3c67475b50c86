#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/log/event_log/log_file.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace convene::host {

/// Writes the blobs of a log, and removes them with it. Guarantees:
/// - a blob is whole and, unless the durability is `none`, on disk before `put`
///   returns its name, so before any event names it; a shared log has it, too;
/// - what the log names is never removed, nor what was put and may yet be
///   named: a blob goes with the last segment that names it;
/// - what a crash left behind that no event names is removed when the log is
///   opened again.
/// There are no temporary names: a torn file has none of the events' names as
/// long as nobody names it, and `put` compares what is there. Thread-safe.
class blob_keeper final : public log_companion {
public:
  /// `how`: how the log is written.
  blob_keeper(std::filesystem::path folder, const log_options& how);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept {
    return folder_;
  }

  /// Keeps a text. May wait for the disk. Errors name the file.
  [[nodiscard]] protocol::result<protocol::blob> put(std::string_view text);

  /// The same for a text that the shared log has.
  [[nodiscard]] protocol::result<protocol::blob>
  put_shared(std::string_view text);

  /// How many blobs were removed since no event names them.
  [[nodiscard]] std::size_t swept() const;

  void saw(std::uint32_t segment, std::string_view line) override;
  void opened() override;
  void removed(std::uint32_t through) override;
  void
  add_bytes(std::map<std::uint32_t, std::uint64_t>& by_segment) const override;

private:
  /// Who names a blob.
  struct use {
    std::uint32_t segment = 0; ///< the last one that does; 0: none
    std::size_t pending = 0;   ///< events that are yet to be written
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] protocol::result<void> write(const std::filesystem::path& file,
                                             std::string_view text);
  [[nodiscard]] protocol::result<void> sync(log_file& file);

  const std::filesystem::path folder_;
  storage* const files_;
  shared_log* const shared_; ///< a companion of the log; null: there is none
  const bool syncs_;
  const bool removes_;
  std::atomic<bool> is_folder_kept_ = false;
  mutable std::mutex mutex_;
  std::condition_variable written_;
  std::set<std::string> under_way_; ///< guarded by mutex, like the rest
  std::map<std::string, use> uses_;
  bool has_events_ = false;
  std::size_t swept_ = 0;
};

} // namespace convene::host
