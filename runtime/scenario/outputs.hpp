#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/validation_level.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace convene::host {

/// The documents that one session produces, as JSON.
struct session_documents {
  std::string session_id;
  protocol::json::object collab;
  protocol::json::object dialog;
  protocol::json::object context;
  std::optional<protocol::json::object> plan;
  protocol::json::object trace;
  std::optional<protocol::json::object> confirm;
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

  static constexpr std::uint32_t instances_max = 1'000'000;

  bool operator==(const run_settings&) const = default;
};

/// The folder for the documents of a run: those of a single session are written
/// directly into it, those of several into `sessions/<id>/`, each file
/// completely or not at all.
class output_folder {
public:
  /// Creates the folder and its parents. Refuses a folder that is not empty and
  /// anything that is not a folder: a run never mixes with existing files.
  [[nodiscard]] CONVENE_API static protocol::result<output_folder>
  create(const std::filesystem::path& folder, bool several_sessions);

  /// Opens a folder that `create` made, in order to resume its run. Refuses any
  /// other.
  [[nodiscard]] CONVENE_API static protocol::result<output_folder>
  open(const std::filesystem::path& folder);

  /// Whether the session's `result.json`, and therefore every other document,
  /// is written.
  [[nodiscard]] CONVENE_API bool
  has_result(const std::string& session_id) const;

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
};

} // namespace convene::host
