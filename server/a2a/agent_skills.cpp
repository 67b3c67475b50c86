#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/scenario/embedded.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/yaml/yaml.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/a2a/agent_skills.hpp>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

constexpr std::size_t skill_id_bytes_max = 64;

bool is_skill_id(std::string_view text) {
  return !text.empty() && text.size() <= skill_id_bytes_max
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '-' || c == '_'
                     || c == '.';
            });
}

bool is_scenario_name(const fs::path& file) {
  return file.extension() == ".json" || host::is_yaml(file);
}

result<std::vector<fs::path>> scenarios_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    if (is_scenario_name(at->path()))
      files.push_back(at->path());
  if (failed)
    return protocol::fail(host::file_error(
      errc::unreadable, folder,
      "cannot be read as a folder of scenarios: " + failed.message()));
  if (files.empty())
    return protocol::fail(
      host::file_error(errc::usage, folder,
                       "has no scenario, *.json or *.yaml, to "
                       "offer",
                       "agents_missing"));
  if (files.size() > agent_skills_max)
    return protocol::fail(host::file_error(
      errc::limit_reached, folder,
      "has more than " + std::to_string(agent_skills_max) + " scenarios",
      "agents_max"));
  std::ranges::sort(files);
  return files;
}

/// Each message starts a session from this scenario.
result<agent_skill> read_skill(const fs::path& file,
                               const host::permissions& allow) {
  auto scenario = host::embedded_scenario(file, allow);
  if (!scenario)
    return protocol::fail(std::move(scenario).error());
  protocol::uuid_source ids{0}; // none of them is used
  const auto spec = host::load_scenario(boost::json::object{*scenario},
                                        {.ids = ids});
  if (!spec)
    return protocol::fail(spec.error());
  return agent_skill{.name = spec->collab.title,
                     .description = spec->collab.purpose,
                     .mode = std::string{to_word(spec->collab.mode)},
                     .scenario = *std::move(scenario)};
}

} // namespace

result<agent_skills> read_agent_skills(const fs::path& folder,
                                       const host::permissions& allow) {
  const auto files = scenarios_in(folder);
  if (!files)
    return protocol::fail(files.error());
  agent_skills made;
  for (const auto& file : *files) {
    const auto id = file.stem().string();
    if (!is_skill_id(id))
      return protocol::fail(host::file_error(
        errc::usage, file,
        "gives a skill its id: name it with at most 64 letters, digits, dots, "
        "dashes and underscores",
        "agent_skill_id"));
    auto skill = read_skill(file, allow);
    if (!skill)
      return protocol::fail(std::move(skill).error());
    if (!made.emplace(id, *std::move(skill)).second)
      return protocol::fail(host::file_error(
        errc::usage, file,
        "another file gives the skill \"" + id + "\": rename one of the two",
        "agent_skill_id"));
  }
  return made;
}

} // namespace convene::server
