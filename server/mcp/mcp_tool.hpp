#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace convene::server {

/// One call of a tool.
struct tool_call {
  boost::json::object arguments; ///< valid by the tool's schema
  std::string key;               ///< of the client; empty: it needs none
  /// The client no longer waits: the tool answers with what there is.
  std::stop_token stop;
};

/// What a tool answers.
struct tool_answer {
  boost::json::object content; ///< conforms to the tool's schema of answers
  std::string text = {};       ///< for people; empty: the content as JSON
  bool is_error = false;       ///< the content is {"error": {...}}
};

/// An error of a call: what is wrong, and what to do.
[[nodiscard]] tool_answer tool_error(std::string_view code,
                                     std::string_view message,
                                     boost::json::object details = {});

/// A tool that clients may call.
struct mcp_tool {
  std::string name;
  std::string title;
  std::string about; ///< for the client's model
  std::string scope; ///< what the client's key has to allow
  bool is_read_only = false;
  std::string input_schema;  ///< JSON Schema, as text
  std::string output_schema; ///< likewise
  /// Called on a thread of the MCP server, which it may block.
  std::function<tool_answer(const tool_call&)> run;
};

} // namespace convene::server
