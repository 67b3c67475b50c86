#pragma once

#include <boost/json/object.hpp>

#include <filesystem>

namespace convene::host {

/// Makes the commands of behaviours and MCP servers independent of where the
/// scenario is: a program that is named by a relative path gets an absolute
/// one, and "${scenario}" at the beginning of an argument becomes the absolute
/// path of `folder`, the scenario's. A program without a slash stays a name,
/// which is looked up when it is started.
void place_commands(boost::json::object& scenario,
                    const std::filesystem::path& folder);

} // namespace convene::host
