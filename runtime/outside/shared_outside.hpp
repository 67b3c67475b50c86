#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/json/known_secrets.hpp>
#include <convene/runtime/outside/http/paced_client.hpp>
#include <convene/runtime/outside/http/parting_calls.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/mcp/tools.hpp>
#include <convene/runtime/outside/outside.hpp>
#include <convene/runtime/outside/participants/session_models.hpp>
#include <convene/runtime/outside/processes/folder_claims.hpp>
#include <convene/runtime/outside/processes/processes.hpp>
#include <convene/runtime/outside/processes/sandbox.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The sandbox of programs that have these permissions.
[[nodiscard]] sandbox sandbox_of(const permissions& allow);

/// Of a name that is too long, or of a configuration.
[[nodiscard]] std::string short_digest(std::string_view of);

/// What the behaviours of a runtime share; each part starts when it is first
/// asked for. Thread-safe. For sources in this folder only.
class shared_outside {
public:
  explicit shared_outside(outside_options how) : how_(std::move(how)) {}
  shared_outside(const shared_outside&) = delete;
  shared_outside& operator=(const shared_outside&) = delete;
  ~shared_outside();

  [[nodiscard]] const outside_options& options() const noexcept {
    return how_;
  }

  [[nodiscard]] std::shared_ptr<paced_client> http();
  /// Waited for at the end.
  [[nodiscard]] const std::shared_ptr<parting_calls>&
  partings() const noexcept {
    return partings_;
  }
  [[nodiscard]] std::shared_ptr<processes> programs();

  /// Of the participants of one session.
  [[nodiscard]] std::shared_ptr<session_models>
  models_of(const std::string& session_id);

  /// Notes a key that participants use, and what is known of them; null: none.
  void note_key(std::string_view value);
  [[nodiscard]] std::shared_ptr<const protocol::known_secrets> keys() const;

  /// A program of a scenario, ready to be run: with its environment, a working
  /// folder that is there, the one that the scenario names or `own` below the
  /// work folder, and confined if it is to be. What will be executed and where
  /// must be allowed now, whatever the names meant when they were checked.
  template <class Settings>
  [[nodiscard]] protocol::result<program>
  prepare(const Settings& from, const std::vector<std::string>& own) {
    auto file = allowed_program(from.command.front());
    if (!file)
      return protocol::fail(std::move(file).error());
    auto folder = folder_for(from.working_folder, own);
    if (!folder)
      return protocol::fail(std::move(folder).error());
    auto place = place_at(*folder);
    if (!place)
      return protocol::fail(protocol::errc::activation_refused,
                            *folder + " was replaced just now",
                            "working_folder");
    auto made = program_for(from, *std::move(file),
                            environment(from.env, *folder), *folder);
    made.places.push_back(*std::move(place));
    add_secrets(made);
    return confined(std::move(made));
  }

  /// Those of a scenario's MCP servers that `names` has. Sessions whose
  /// scenarios configure one alike share it; it ends after the last of them.
  /// Its own folder is in that of the session that was first.
  [[nodiscard]] protocol::result<mcp_servers>
  servers(const protocol::json::object& from,
          const std::set<std::string>& names, const std::string& session_id);

private:
  [[nodiscard]] std::shared_ptr<http_client> client();
  /// One that a session uses now; null: none. Forgets those that ended.
  [[nodiscard]] std::shared_ptr<mcp_server> known_server(const std::string& id);
  [[nodiscard]] protocol::result<std::shared_ptr<mcp_server>>
  program_server(const std::string& key, mcp_server_settings settings,
                 const std::vector<std::string>& own);
  [[nodiscard]] protocol::result<std::shared_ptr<mcp_server>>
  http_server(const std::string& key, const mcp_server_settings& settings);
  [[nodiscard]] protocol::result<std::string>
  allowed_program(const std::string& name) const;
  [[nodiscard]] protocol::result<std::string>
  folder_for(const std::string& named, const std::vector<std::string>& own);
  [[nodiscard]] std::vector<std::string>
  environment(const std::vector<std::string>& names, const std::string& folder);
  void add_secrets(program& to) const;
  /// Puts variables of convene into values that name them.
  void fill_values(std::map<std::string, std::string>& values);
  [[nodiscard]] protocol::result<program> confined(program what);

  outside_options how_;
  folder_claims claims_;
  std::shared_ptr<parting_calls> partings_ = std::make_shared<parting_calls>();
  mutable std::mutex mutex_; ///< guards the rest
  std::shared_ptr<const protocol::known_secrets> keys_;
  std::size_t longest_key_ = 0; // bytes
  std::filesystem::path temporary_;
  std::shared_ptr<http_client> client_;
  std::shared_ptr<paced_client> http_;
  std::shared_ptr<processes> programs_;
  std::map<std::string, std::weak_ptr<session_models>> models_;
  std::size_t models_max_ = 64; ///< before those of ended sessions go
  /// Of the sessions that run now, by name and configuration.
  std::map<std::string, std::weak_ptr<mcp_server>> servers_;
};

} // namespace convene::host
