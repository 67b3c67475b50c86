#pragma once

#include <boost/json/array.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json_schema/compiled_schema.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/mcp/mcp_tool.hpp>
#include <convene/server/mcp/rpc_message.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace convene::server {

/// The tools of an MCP server. Immutable.
class tool_book {
public:
  /// Fails if a tool's schema is invalid, or a name is taken twice.
  [[nodiscard]] static protocol::result<tool_book>
  open(std::vector<mcp_tool> tools, std::size_t answer_bytes_max);

  /// `tools` of tools/list.
  [[nodiscard]] const boost::json::array& list() const noexcept {
    return list_;
  }

  /// The result of tools/call. Blocks as long as the tool does.
  [[nodiscard]] tl::expected<boost::json::object, rpc_fault>
  call(const boost::json::object& params, const caller& by,
       std::stop_token stop) const;

private:
  struct entry {
    mcp_tool tool;
    protocol::compiled_schema arguments;
  };

  [[nodiscard]] tool_answer
  answer(const entry& of, const boost::json::object& params, const caller& by,
         std::stop_token stop) const;

  std::map<std::string, entry, std::less<>> tools_;
  boost::json::array list_;
  std::size_t answer_bytes_max_ = 0;
};

} // namespace convene::server
