#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace convene::server {

/// Whether a file says who is to be called when a run ends.
[[nodiscard]] protocol::result<void>
check_callback(const std::filesystem::path& file);

/// The calls that are owed, a file for each run in a folder: what is in memory
/// of them is gone after a kill. One thread at a time.
class callback_files {
public:
  /// The folder is created. Errors name it.
  [[nodiscard]] static protocol::result<callback_files>
  open(std::filesystem::path folder);

  /// The URLs by run. A file that cannot be read is left alone, and the
  /// diagnostics say so.
  [[nodiscard]] std::map<protocol::uuid, std::string> load() const;

  /// After a power loss it is there with all of its text.
  [[nodiscard]] protocol::result<void> put(const protocol::uuid& run,
                                           const std::string& url) const;

  void remove(const protocol::uuid& run) const;

private:
  explicit callback_files(std::filesystem::path folder)
    : folder_{std::move(folder)} {}

  [[nodiscard]] std::filesystem::path file_of(const protocol::uuid& run) const;

  std::filesystem::path folder_;
};

} // namespace convene::server
