#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

/// One file of a log. A file with a number for a name (`000002.jsonl`) is the
/// segment of that number, any other is segment 1.
struct log_segment {
  std::uint32_t number = 1;
  std::filesystem::path path;
  /// Set if the segments before it were removed on purpose: the crc of their
  /// last group, which this one continues.
  std::optional<std::uint32_t> after_removed;
};

/// The files of a log, in order: `path` itself, or in a folder `events.jsonl`,
/// else all of `log/*.jsonl`. These count from 1, or from after the removed
/// ones (removed_segments.hpp), which are ignored if they still exist; a
/// missing or duplicate number is an error, rule `log_damaged`.
[[nodiscard]] protocol::result<std::vector<log_segment>>
log_segments(const std::filesystem::path& path);

/// The same, but tolerates missing and duplicate segments and a bad record of
/// the removed ones.
[[nodiscard]] protocol::result<std::vector<log_segment>>
found_segments(const std::filesystem::path& path);

/// Whether this segment of the log at `path` has been removed on purpose.
[[nodiscard]] bool was_removed(const std::filesystem::path& path,
                               std::uint32_t number);

/// A file read piece by piece, which may be growing meanwhile.
class input_file {
public:
  /// Refuses anything but a regular file, without blocking on it.
  [[nodiscard]] static protocol::result<input_file>
  open(const std::filesystem::path& path);

  /// Reads up to `bytes` from `offset` on, using `into`; less only at the end.
  [[nodiscard]] protocol::result<std::string_view>
  read(std::uint64_t offset, std::size_t bytes, std::string& into) const;

  /// The same; returns the number of bytes.
  [[nodiscard]] protocol::result<std::size_t> read(std::uint64_t offset,
                                                   std::span<char> into) const;

  /// The current size.
  [[nodiscard]] protocol::result<std::uint64_t> size() const;

private:
  input_file(std::filesystem::path path, descriptor file)
    : path_{std::move(path)}, file_{std::move(file)} {}

  std::filesystem::path path_;
  descriptor file_;
};

} // namespace convene::host
