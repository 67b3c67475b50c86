#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a log needs from the operating system, so that tests can replace it and
// simulate a power loss at any moment. Errors are errno values.

namespace convene::host {

template <class T>
using io_result = tl::expected<T, int>;

/// An open file. Closed on destruction.
class stored_file {
public:
  stored_file() = default;
  stored_file(const stored_file&) = delete;
  stored_file& operator=(const stored_file&) = delete;
  virtual ~stored_file() = default;

  [[nodiscard]] virtual io_result<std::uint64_t> size() = 0;

  /// Reads from `offset` on; returns the number of bytes, 0 at the end.
  virtual io_result<std::size_t>
  read_at(std::uint64_t offset, std::span<char> into) = 0;

  /// Writes from `offset` on, possibly not all; returns the number of bytes.
  virtual io_result<std::size_t>
  write_at(std::uint64_t offset, std::string_view bytes) = 0;

  /// Asks the system to begin writing these bytes to disk, so that `sync` waits
  /// less. Guarantees nothing.
  virtual void begin_sync(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {
    // nop
  }

  /// Waits until content and size are on disk.
  virtual io_result<void> sync() = 0;

  virtual io_result<void> truncate(std::uint64_t size) = 0;

  /// Reserves space from `offset` to `end` without changing the file's size.
  virtual io_result<void> preallocate(std::uint64_t offset, std::uint64_t end)
    = 0;

  virtual io_result<void> close() = 0;
};

/// A lock released with this object or at the end of the process.
class storage_lock {
public:
  storage_lock() = default;
  storage_lock(const storage_lock&) = delete;
  storage_lock& operator=(const storage_lock&) = delete;
  virtual ~storage_lock() = default;
};

/// Thread-safe.
class storage {
public:
  virtual ~storage() = default;

  /// Opens a file for reading and writing, creating it if missing. EINVAL for
  /// anything but a regular file or a character device.
  virtual io_result<std::unique_ptr<stored_file>>
  open(const std::filesystem::path& file) = 0;

  /// Takes the lock that `file` represents, creating the file if missing.
  /// EWOULDBLOCK: another holder has it.
  virtual io_result<std::unique_ptr<storage_lock>>
  lock(const std::filesystem::path& file) = 0;

  /// The names in a folder, in no order.
  virtual io_result<std::vector<std::string>>
  list(const std::filesystem::path& folder) = 0;

  /// Removes a file; it may reappear until its folder is synced. A missing file
  /// is not an error.
  virtual io_result<void> remove(const std::filesystem::path& file) = 0;

  /// Makes a folder, unless it is there. The one that it is in must exist.
  virtual io_result<void> make_folder(const std::filesystem::path& folder) = 0;

  /// Waits until the names in a folder are on disk.
  virtual io_result<void> sync_folder(const std::filesystem::path& folder) = 0;
};

/// The operating system's.
[[nodiscard]] storage& posix_storage();

} // namespace convene::host
