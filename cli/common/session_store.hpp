#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/kept_documents.hpp>
#include <convene/protocol/documents/role.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {
struct agent_run;
} // namespace convene::host

namespace convene::cli {

/// Where the sessions of a run are stored besides its folder. The first
/// failure is final: it is told at the end, and the run goes on without.
class session_store {
public:
  /// The file that `--store` names; empty: none, or a database.
  [[nodiscard]] static std::string file_of(const std::string& where);

  /// Whether what `--store` names is there. Creates nothing.
  [[nodiscard]] static protocol::result<bool>
  is_there(const std::string& where);

  /// What `--store` names; null if it names nothing. Creates the file, or the
  /// tables in the database.
  [[nodiscard]] static protocol::result<std::shared_ptr<session_store>>
  open(const std::string& where);

  explicit session_store(std::unique_ptr<host::state_store> store)
    : store_{std::move(store)} {}

  /// Whether the documents of a session are in it.
  [[nodiscard]] bool has(const std::string& session_id);
  void put(const host::session_documents& documents,
           const std::vector<protocol::role>& roles, host::session_owner whose);
  /// A single agent's, in place of documents of its session with these texts.
  void put(const host::agent_run& run,
           const std::vector<std::string>& of_session);
  void put(const std::vector<host::kept_sample>& samples);
  /// The events of all sessions on a log whose documents it has.
  void put_events(const std::filesystem::path& log);

  [[nodiscard]] const std::optional<protocol::error>& failure() const noexcept {
    return failure_;
  }

private:
  void note(protocol::error why);

  const std::unique_ptr<host::state_store> store_;
  std::optional<protocol::error> failure_;
};

/// Declares --store.
void add_store(const command_line& command, std::string& where);

/// Refuses what would leave nothing to store.
[[nodiscard]] protocol::result<void>
check_store(const std::string& where, protocol::kept_documents documents,
            const host::log_upkeep& upkeep);

} // namespace convene::cli
