#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// Adds to each failure of a simulation's summary the command that reproduces
/// it: `command`, and the seed in it.
void add_commands(boost::json::object& summary,
                  const std::vector<std::string>& command);

/// The summary for people.
[[nodiscard]] std::string simulation_text(const boost::json::object& summary);

} // namespace convene::cli
