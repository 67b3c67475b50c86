#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/kept_documents.hpp>
#include <convene/protocol/base/validation_level.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/data/scenario/session_trace.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <convene/session/machine/session_dialog.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// The documents that one session produces; most as JSON.
struct session_documents {
  std::string session_id;
  protocol::json::object collab;
  session::session_dialog dialog;
  protocol::json::object context;
  std::optional<protocol::json::object> plan;
  session_trace trace;
  std::optional<protocol::json::object> confirm;
  std::vector<protocol::json::object> extensions;
  std::vector<protocol::json::object> extension_confirms;
  std::optional<protocol::json::object> core;
  std::optional<protocol::json::object> network;
  std::optional<protocol::json::object> workspace;
  protocol::json::object result; ///< without `documents`
};

/// Maintenance of a run's log; unset: the runtime's defaults.
struct log_upkeep {
  std::optional<std::uint64_t> snapshot_events;
  std::optional<std::uint64_t> keep_bytes;

  bool operator==(const log_upkeep&) const = default;
};

/// How the sessions of a folder are run: what is needed to resume them and is
/// not on the log.
struct run_settings {
  std::uint32_t instances = 1;
  bool virtual_time = false;
  protocol::validation_level validation = protocol::validation_level::boundary;
  bool revalidate = false;
  protocol::durability durability = protocol::durability::group;
  log_upkeep upkeep;
  protocol::kept_documents documents = protocol::kept_documents::ended;
  /// Ids of the given documents, and the UUIDs that the run uses instead.
  boost::json::object aliases = {};

  static constexpr std::uint32_t instances_max = 1'000'000;

  bool operator==(const run_settings&) const = default;
};

/// The folder for the documents of a run: those of a single session are written
/// directly into it, those of several into `sessions/<id>/`, each file
/// completely or not at all.
class output_folder {
public:
  /// Creates the folder and its parents, and takes it. Refuses a folder that is
  /// not empty and anything that is not a folder: a run never mixes with
  /// existing files, nor with another run.
  [[nodiscard]] CONVENE_API static protocol::result<output_folder>
  create(const std::filesystem::path& folder, bool several_sessions);

  /// Why `create` would refuse the folder for what it has, or is. Creates
  /// nothing.
  [[nodiscard]] CONVENE_API static protocol::result<void>
  check_free(const std::filesystem::path& folder);

  /// Opens a folder that `create` made, in order to resume its run. Refuses any
  /// other.
  [[nodiscard]] CONVENE_API static protocol::result<output_folder>
  open(const std::filesystem::path& folder);

  /// Takes a folder that was opened, as long as this or a copy of it lives;
  /// rule `folder_locked` if another run has it.
  [[nodiscard]] CONVENE_API protocol::result<void> take();

  /// Whether the session's `result.json`, and therefore every other document,
  /// is written.
  [[nodiscard]] CONVENE_API bool
  has_result(const std::string& session_id) const;

  /// Ids of all sessions that have a `result.json`: they were told as ended.
  /// `damaged` gets those that cannot be read, by rule `document_matches_log`;
  /// an empty one is as good as none.
  [[nodiscard]] CONVENE_API std::vector<std::string>
  sessions_with_result(std::vector<protocol::error>* damaged = nullptr) const;

  /// The files of a session with a result that are not these documents: the
  /// path of each, and what is wrong with it.
  [[nodiscard]] CONVENE_API std::vector<protocol::error>
  differences(const session_documents& documents) const;

  /// The path of the event log; its folder exists.
  [[nodiscard]] CONVENE_API std::filesystem::path log() const;

  /// Whether the log is a folder of segments.
  [[nodiscard]] bool in_segments() const noexcept {
    return several_;
  }

  /// Writes `run.json`: how the sessions are run, apart from the scenario.
  [[nodiscard]] CONVENE_API protocol::result<void>
  write_settings(const run_settings& how) const;

  /// Reads `run.json`; for a folder of one session without it, the defaults.
  [[nodiscard]] CONVENE_API protocol::result<run_settings>
  read_settings() const;

  [[nodiscard]] CONVENE_API bool has_scenario() const;

  /// The scenario as it was written.
  [[nodiscard]] CONVENE_API protocol::result<protocol::json::value>
  read_scenario() const;

  /// Writes `scenario.json`.
  [[nodiscard]] CONVENE_API protocol::result<void>
  write_scenario(const protocol::json::object& scenario) const;

  /// Writes a session's documents, `result.json` last: if it exists, so do the
  /// others. Returns the result as written, with the paths of all documents,
  /// relative to its own folder.
  [[nodiscard]] CONVENE_API protocol::result<protocol::json::object>
  write_session(const session_documents& documents) const;

  /// Writes the documents of a session that has not ended: all but
  /// `result.json`.
  [[nodiscard]] CONVENE_API protocol::result<void>
  write_standing(const session_documents& documents) const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return folder_;
  }

private:
  output_folder(std::filesystem::path folder, bool several)
    : folder_(std::move(folder)), several_(several) {}

  [[nodiscard]] std::filesystem::path
  session_folder(const std::string& session_id) const;

  std::filesystem::path folder_;
  bool several_ = false;
  folder_lock lock_;
};

} // namespace convene::host
