#pragma once

#include <boost/json/object.hpp>
#include <convene/server/mcp/rpc_message.hpp>
#include <convene/server/mcp/session_tools.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace convene::server {

/// The logs and documents of sessions as MCP resources:
///
///     convene://sessions/{session_id}/events?after={after}
///     convene://sessions/{session_id}/documents/{name}
class session_resources {
public:
  explicit session_resources(std::shared_ptr<const session_access> with)
    : with_{std::move(with)} {}

  /// A page of resources: the result of resources/list.
  [[nodiscard]] tl::expected<boost::json::object, rpc_fault>
  list(const boost::json::object& params) const;

  /// The result of resources/templates/list.
  [[nodiscard]] static boost::json::object templates();

  /// The result of resources/read. Blocks while the log is read.
  [[nodiscard]] tl::expected<boost::json::object, rpc_fault>
  read(const boost::json::object& params) const;

private:
  [[nodiscard]] tl::expected<boost::json::object, rpc_fault>
  read_events(const std::string& uri, const std::string& session_id,
              std::string_view after) const;
  [[nodiscard]] tl::expected<boost::json::object, rpc_fault>
  read_document(const std::string& uri, const std::string& session_id,
                const std::string& name) const;

  std::shared_ptr<const session_access> with_;
};

} // namespace convene::server
