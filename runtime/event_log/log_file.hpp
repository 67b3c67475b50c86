#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/event_log/storage.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace convene::host {

/// A file that only grows. Every error names the file and what the operating
/// system said.
class log_file {
public:
  /// Opens the file, or creates it. The folder must exist.
  [[nodiscard]] static protocol::result<log_file>
  open(storage& files, const std::filesystem::path& path);

  /// Where the next `write` goes: behind all there is.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return size_;
  }

  /// Up to `length` bytes from `offset` on; fewer only at the end.
  [[nodiscard]] protocol::result<std::string> read(std::uint64_t offset,
                                                   std::size_t length);

  /// The same into `into`; how many bytes.
  [[nodiscard]] protocol::result<std::size_t> read(std::uint64_t offset,
                                                   std::span<char> into);

  /// Writes all of `bytes` at the end, or fails; then a part may have been
  /// written.
  [[nodiscard]] protocol::result<void> write(std::string_view bytes);

  /// Writes the bytes from `offset` on once more, as they are, so that the next
  /// sync covers them whatever became of an earlier one.
  [[nodiscard]] protocol::result<void> write_again(std::uint64_t offset);

  /// Cuts off all from `size` on.
  [[nodiscard]] protocol::result<void> cut(std::uint64_t size);

  /// The same where `sync` comes next: the disk works on one piece while the
  /// next one is copied.
  [[nodiscard]] protocol::result<void> write_to_sync(std::string_view bytes);

  /// Waits until all of the file is on the disk.
  [[nodiscard]] protocol::result<void> sync();

  /// Makes room for `bytes` and more behind the end, if the file system can;
  /// `release` gives back what was not needed.
  void reserve(std::size_t bytes);
  void release();

  /// Closes the file; more closing does nothing.
  [[nodiscard]] protocol::result<void> close();

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return path_;
  }

private:
  log_file(std::filesystem::path path, std::unique_ptr<stored_file> file);

  [[nodiscard]] protocol::result<void> write_at(std::uint64_t offset,
                                                std::string_view bytes);

  std::filesystem::path path_;
  std::unique_ptr<stored_file> file_; // null: closed
  std::uint64_t size_ = 0;
  std::uint64_t reserved_ = 0; // up to there; 0: nothing
};

/// The error of a call to storage: what was being done, and why it failed.
[[nodiscard]] tl::unexpected<protocol::error>
storage_failed(const std::filesystem::path& path, std::string_view doing,
               int number);

} // namespace convene::host
