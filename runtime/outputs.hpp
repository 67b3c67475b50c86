#pragma once

#include <convene/protocol/common.hpp>
#include <convene/protocol/error.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace convene::host {

/// The documents that one session leaves behind, as JSON.
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

/// Where the documents of a run go: one session's into the folder itself,
/// several into `sessions/<id>/`, each file whole or not at all.
class output_folder {
public:
  /// Creates the folder and what is above it. Refuses one that has something
  /// in it, and what is no folder: a run never mixes with what is there.
  [[nodiscard]] static protocol::result<output_folder>
  create(const std::filesystem::path& folder, bool several_sessions);

  /// The path of the event log; its folder is there.
  [[nodiscard]] std::filesystem::path log() const;

  /// Writes `scenario.json`.
  [[nodiscard]] protocol::result<void>
  write_scenario(const protocol::json::object& scenario) const;

  /// Writes a session's documents, `result.json` last: where that is, the rest
  /// is too. Returns the result as written, with the paths of all documents,
  /// relative to its own folder.
  [[nodiscard]] protocol::result<protocol::json::object>
  write_session(const session_documents& documents) const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return folder_;
  }

private:
  output_folder(std::filesystem::path folder, bool several)
    : folder_(std::move(folder)), several_(several) {}

  std::filesystem::path folder_;
  bool several_ = false;
};

} // namespace convene::host
