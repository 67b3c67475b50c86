#pragma once

#include <convene/protocol/error.hpp>

#include <filesystem>
#include <string_view>

namespace convene::host {

/// A file that only grows. Every error names the file and what the operating
/// system said.
class log_file {
public:
  /// Creates the file, or takes one that is empty. Refuses anything else: a
  /// log is never written over. The folder must exist.
  [[nodiscard]] static protocol::result<log_file>
  create(const std::filesystem::path& path);

  log_file(log_file&& other) noexcept;
  log_file(const log_file&) = delete;
  log_file& operator=(const log_file&) = delete;
  log_file& operator=(log_file&&) = delete;
  ~log_file();

  /// Writes all of `bytes`, or fails; then a part may have been written.
  [[nodiscard]] protocol::result<void> write(std::string_view bytes);

  /// Closes the file; more closing does nothing.
  [[nodiscard]] protocol::result<void> close();

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return path_;
  }

private:
  log_file(std::filesystem::path path, int descriptor);

  std::filesystem::path path_;
  int descriptor_;
};

} // namespace convene::host
