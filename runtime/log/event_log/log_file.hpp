#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/storage.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace convene::host {

/// An append-only file. Every error names the file and the operating system's
/// message.
class log_file {
public:
  /// Opens the file, or creates it. The folder must exist.
  [[nodiscard]] static protocol::result<log_file>
  open(storage& files, const std::filesystem::path& path);

  /// Where the next `write` goes: the end of the file.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return size_;
  }

  /// Up to `length` bytes from `offset` on; fewer only at the end.
  [[nodiscard]] protocol::result<std::string> read(std::uint64_t offset,
                                                   std::size_t length);

  /// Reads into `into`; returns the number of bytes.
  [[nodiscard]] protocol::result<std::size_t> read(std::uint64_t offset,
                                                   std::span<char> into);

  /// Writes all of `bytes` at the end. On failure, a part may have been
  /// written.
  [[nodiscard]] protocol::result<void> write(std::string_view bytes);

  /// Writes all of `bytes` at `offset`, over what is there.
  [[nodiscard]] protocol::result<void> write_over(std::uint64_t offset,
                                                  std::string_view bytes);

  /// Rewrites the bytes from `offset` on unchanged, so that the next sync
  /// covers them whatever the result of an earlier one.
  [[nodiscard]] protocol::result<void> write_again(std::uint64_t offset);

  /// Truncates the file to `size`.
  [[nodiscard]] protocol::result<void> cut(std::uint64_t size);

  /// Like `write`, if `sync` comes next: the disk works on one piece while the
  /// next one is copied.
  [[nodiscard]] protocol::result<void> write_to_sync(std::string_view bytes);

  /// Waits until the whole file is on disk.
  [[nodiscard]] protocol::result<void> sync();

  /// Preallocates `bytes` after the end and `ahead` more, unless they are there
  /// or the file system cannot; `release` frees what was not needed.
  void reserve(std::size_t bytes, std::uint64_t ahead);
  void release();

  /// Closes the file; further calls have no effect.
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

/// The error of a storage call: what was being done and why it failed.
[[nodiscard]] tl::unexpected<protocol::error>
storage_failed(const std::filesystem::path& path, std::string_view doing,
               int number);

} // namespace convene::host
