#include <convene/cli/common/agent_runs.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <system_error>

namespace convene::cli {

protocol::result<void> write_agent_run(session_tally& tally,
                                       const std::filesystem::path& folder) {
  const auto session = host::session_folder_of(folder);
  std::error_code failed;
  if (!std::filesystem::exists(session / "result.json", failed)
      || (tally.results.empty()
          && std::filesystem::exists(folder / "result.json", failed)))
    return {};
  const auto run = host::read_agent_run(folder);
  if (!run)
    return protocol::fail(run.error());
  if (auto written = host::write_agent_run(folder, *run); !written)
    return written;
  tally.results = {run->result};
  return {};
}

} // namespace convene::cli
