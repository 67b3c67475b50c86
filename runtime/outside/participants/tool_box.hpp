#pragma once

#include <convene/actors/behaviours/executor.hpp>
#include <convene/protocol/base/error.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A tool that a model can be given.
struct tool {
  std::string name; ///< as the scenario has it, like "files/read_file"
  std::string description;
  protocol::json::object input_schema; ///< JSON Schema 2020-12
  bool read_only = false; ///< its server says that it changes nothing
  /// Who carries it out; null: its tool box.
  std::shared_ptr<const actors::executor> by;

  bool operator==(const tool&) const = default;
};

/// Tools by name, of one or several servers. Thread-safe.
class tool_box {
public:
  virtual ~tool_box() = default;

  using when_listed = std::function<void(protocol::result<std::vector<tool>>)>;

  /// Asks for the tools; starts their servers if need be. `then` is called
  /// once, now or later, on any thread. An error is that of the first server
  /// that failed, and names it.
  virtual void list(when_listed then) = 0;

  /// Begins a call, as an `attempt_function` does. The output is the tool's
  /// answer as MCP has it: {"content": [...], "structuredContent", "isError"}.
  virtual actors::cancel_function
  call(std::string_view name, const protocol::json::object& arguments,
       const actors::attempt& which, actors::when_acted then)
    = 0;
};

} // namespace convene::host
