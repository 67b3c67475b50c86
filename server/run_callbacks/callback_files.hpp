#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/run_callbacks/private_folder.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace convene::server {

/// Whether a file says who is to be called when a run ends.
[[nodiscard]] protocol::result<void>
check_callback(const std::filesystem::path& file);

/// The calls that are owed, by run. One thread at a time.
class callback_files {
public:
  explicit callback_files(private_folder in) : folder_{std::move(in)} {}

  /// The URLs by run. A file that cannot be read is left alone, and the
  /// diagnostics say so.
  [[nodiscard]] std::map<protocol::uuid, std::string> load() const;

  /// After a power loss it is there with all of its text.
  [[nodiscard]] protocol::result<void> put(const protocol::uuid& run,
                                           const std::string& url) const;

  void remove(const protocol::uuid& run) const {
    folder_.remove(run);
  }

private:
  private_folder folder_;
};

} // namespace convene::server
