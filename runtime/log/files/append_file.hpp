#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace convene::host {

/// A regular file that is open for reading and for appending, until the last
/// copy is destroyed. Errors name the file.
class append_file {
public:
  append_file() = default; ///< none

  /// Opens a file, and creates it, for its owner alone, if it is not there.
  /// Folders, devices and pipes are refused without blocking on them.
  [[nodiscard]] static protocol::result<append_file>
  open(const std::filesystem::path& file);

  [[nodiscard]] int get() const noexcept {
    return file_->get();
  }
  /// Its size when it was opened.
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return bytes_;
  }

  /// Writes all of the text to the end.
  [[nodiscard]] protocol::result<void> append(std::string_view text,
                                              synced how = synced::yes) const;

  /// Removes what is behind `bytes`.
  [[nodiscard]] protocol::result<void> cut(std::int64_t bytes) const;

private:
  std::filesystem::path name_;
  std::shared_ptr<const descriptor> file_;
  std::int64_t bytes_ = 0;
};

} // namespace convene::host
