#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/sessions/session_catalog.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace convene::server {

/// Whether a file is a session that was created and not started, under the name
/// that its id gives it and with the title and mode of its scenario.
[[nodiscard]] protocol::result<void>
check_draft(const std::filesystem::path& file);

/// Sessions that were created and have not been started: a file each, with the
/// scenario. Thread-safe.
class session_drafts {
public:
  static constexpr std::size_t drafts_max = 1'000;

  /// Nothing is read or created yet.
  explicit session_drafts(std::filesystem::path folder)
    : folder_{std::move(folder)} {}

  /// Those that are stored, as rows. A file that cannot be read is left alone
  /// and reported on the diagnostic log.
  [[nodiscard]] std::vector<session_row> load();

  /// Stores one, durably. Rules: `session_id` of an id that is taken,
  /// `drafts_max`.
  [[nodiscard]] protocol::result<void>
  add(const session_row& row, const protocol::json::object& scenario);

  /// Its scenario; rule `session_unknown`.
  [[nodiscard]] protocol::result<protocol::json::object>
  scenario_of(const std::string& id) const;

  [[nodiscard]] bool contains(const std::string& id) const;

  /// Forgets one; false: there is none. Does not wait for the files of others.
  bool remove(const std::string& id);

private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& id) const;
  [[nodiscard]] protocol::result<void>
  write(const session_row& row, const protocol::json::object& scenario) const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_; ///< guards the rest, and is held for no file
  /// Whether its file is there; false: it is being written or removed.
  std::map<std::string, bool> ids_;
};

} // namespace convene::server
