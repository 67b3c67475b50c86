#pragma once

#include <convene/integrations/drift/drift_check.hpp>
#include <convene/protocol/events/integration_events.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace convene::host {

/// Tells what became of the files below a folder, by their content: a file that
/// was only touched is told of by nothing. Paths as in `project_folder`.
class file_reporter {
public:
  using teller
    = std::function<void(const std::string& path, protocol::change_type how)>;

  /// Learns what is there, but for what `scope` excludes or ignores.
  [[nodiscard]] static protocol::result<file_reporter>
  open(const std::filesystem::path& folder, drift_scope scope);

  /// Looks at every file, and at what folders there are.
  [[nodiscard]] protocol::result<void> look_at_all(const teller& tell);
  void look_at(const std::string& path, const teller& tell);

  [[nodiscard]] const std::set<std::string>& folders() const noexcept {
    return folders_;
  }

private:
  file_reporter(project_folder folder, drift_scope scope)
    : folder_{std::move(folder)}, scope_{std::move(scope)} {}

  project_folder folder_;
  drift_scope scope_;
  std::set<std::string> folders_;
  std::map<std::string, protocol::file_state, std::less<>> known_;
};

} // namespace convene::host
