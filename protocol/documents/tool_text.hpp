#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace convene::protocol {

/// The texts of what an MCP tool answered, {"content": [...]}, a line for each:
/// those of its text parts and, `with_resources`, of the resources embedded in
/// it. Logs of convene before 0.2 leave the latter out.
[[nodiscard]] std::string text_of_tool(const boost::json::object& output,
                                       bool with_resources = true);

} // namespace convene::protocol
