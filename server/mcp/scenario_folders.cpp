#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/embedded.hpp>
#include <convene/runtime/data/scenario/sources.hpp>
#include <convene/server/mcp/scenario_folders.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::fail;
using protocol::result;

} // namespace

result<scenario_folders>
scenario_folders::open(const std::vector<fs::path>& folders,
                       host::permissions allow) {
  scenario_folders made;
  made.allow_ = std::move(allow);
  for (const auto& each : folders) {
    std::error_code failed;
    auto real = fs::canonical(each, failed);
    if (failed || !fs::is_directory(real, failed))
      return fail({.code = errc::usage,
                   .message = "--scenarios expects a folder that exists",
                   .file = each.string(),
                   .rule = "scenarios"});
    made.folders_.push_back(std::move(real));
  }
  return made;
}

result<fs::path> scenario_folders::find(const std::string& path) const {
  if (folders_.empty())
    return fail(errc::not_allowed,
                "no folder of scenarios was named: send the scenario itself, "
                "or have the server started with --scenarios DIR",
                "scenario_path");
  for (const auto& folder : folders_) {
    std::error_code failed;
    auto real = fs::canonical(folder / path, failed);
    if (!failed && has(real))
      return real;
  }
  return fail(errc::not_allowed,
              "unknown scenario " + protocol::quote(path)
                + ": give a path below one of the folders that the server was "
                  "started with (--scenarios)",
              "scenario_path");
}

bool scenario_folders::has(const fs::path& real) const {
  return std::ranges::any_of(folders_, [&real](const fs::path& each) {
    return host::is_below(real, each);
  });
}

/// The scenario that a folder holds may be a link, too.
result<void> scenario_folders::check_inside(const fs::path& found) const {
  for (const auto name : host::scenario_names) {
    std::error_code failed;
    const auto real = fs::canonical(found / name, failed);
    if (!failed && !has(real))
      return fail({.code = errc::not_allowed,
                   .message = "it is a link to a file outside of the folders "
                              "that the server was started with (--scenarios)",
                   .file = (found / name).string(),
                   .rule = "scenario_path"});
  }
  return {};
}

result<boost::json::object>
scenario_folders::read(const std::string& path) const {
  const auto file = find(path);
  if (!file)
    return fail(file.error());
  if (auto inside = check_inside(*file); !inside)
    return fail(std::move(inside).error());
  return host::embedded_scenario(*file, allow_);
}

} // namespace convene::server
