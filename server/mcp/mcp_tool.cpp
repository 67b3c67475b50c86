#include <convene/server/mcp/mcp_tool.hpp>

#include <utility>

namespace convene::server {

tool_answer tool_error(std::string_view code, std::string_view message,
                       boost::json::object details) {
  boost::json::object error{{"code", code}, {"message", message}};
  if (!details.empty())
    error.emplace("details", std::move(details));
  tool_answer made{.content = {{"error", std::move(error)}}, .is_error = true};
  return made;
}

} // namespace convene::server
