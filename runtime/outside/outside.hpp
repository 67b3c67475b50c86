#pragma once

#include <convene/actors/behaviours/executor.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/session/spec/spec.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace convene::host {

/// Receives the text of a model as it arrives, in valid UTF-8. Called on any
/// thread; must not block.
using text_observer
  = std::function<void(std::string_view session_id,
                       std::string_view participant, std::string_view text)>;

/// How participants reach outside of their sessions.
struct outside_options {
  permissions allow;
  /// Programs work in folders below it. Empty: in a temporary one, which is
  /// removed at the end.
  std::filesystem::path work_folder;
  bool sandbox = false; ///< programs run under bubblewrap
  /// Files and folders that convene writes or trusts. A sandboxed program does
  /// not get a working folder that contains one of them or lies in one.
  std::vector<std::filesystem::path> guarded = {};
  bool log_prompts = false; ///< the log has what models are asked, too
  /// Where people are asked; null: nowhere.
  std::shared_ptr<host::people> people;
  text_observer on_text; ///< may be empty
  /// Tools for models that the application carries out, by name.
  std::vector<actors::executor> executors = {};
  /// Time is virtual: nobody outside is asked.
  bool virtual_time = false;
  /// Makes participants that run on other nodes; null: there are none.
  std::shared_ptr<actors::behaviour_source> other_nodes = {};
  /// How long the end waits for others to hear of it.
  std::chrono::milliseconds parting_longest{2'000};
};

/// What the participants of a runtime share to reach outside of their sessions:
/// HTTP connections, programs, MCP servers, people. Starts nothing before it is
/// used. Thread-safe; goes after all behaviours that it has made.
class outside final : public actors::behaviour_source {
public:
  explicit outside(outside_options how);
  outside(const outside&) = delete;
  outside& operator=(const outside&) = delete;
  ~outside() override;

  /// Whether what the scenario's participants need outside is allowed and
  /// there. Errors: `invalid_document` for settings, else `activation_refused`
  /// with one of the rules
  /// - permission_needed: the message has the flags that would allow it;
  /// - program_missing, variable_missing, variable_value, variable_name,
  ///   server_missing, executor_missing, sandbox_missing: what is not there;
  /// - server_needed: an external participant, and `people` is no reply_desk;
  /// - approver_needed: a person approves calls, and there are no `people`;
  /// - virtual_time: participants that reach outside need real time;
  /// - cluster_needed: a participant is to run on another node, and there is
  ///   none.
  /// Those of type recorded need logs that can be read: see `check_recorded`.
  [[nodiscard]] protocol::result<void> check(const session::spec& what) const;

  /// Makes behaviours of the types llm, process, http, a2a, mcp, human and
  /// external, of type recorded, and on other nodes, after `check`.
  [[nodiscard]] protocol::result<std::unique_ptr<actors::behaviour>>
  make(std::string_view type, const protocol::json::value& config,
       const actors::behaviour_setup& whose, std::string_view pointer) override;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace convene::host
