#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <string>

namespace convene::server {

/// A TaskPushNotificationConfig of A2A: where a task's changes are sent.
struct push_config {
  std::string id; ///< chosen by its client, or made of the task and the URL
  std::string url;
  std::string token;       ///< of the client, given back; empty: none
  std::string scheme;      ///< of the header Authorization; empty: none
  std::string credentials; ///< likewise
  std::size_t delivered
    = 0; ///< the place of the last update that was delivered

  bool operator==(const push_config&) const = default;
};

/// Reads what a client sent. Errors have a pointer below `pointer` and the rule
/// `invalid_params`: a text that is too long, or that cannot be in a header.
/// `task_id` is the task, which it may name, too.
[[nodiscard]] protocol::result<push_config>
read_push_config(const boost::json::object& from, const std::string& pointer,
                 const std::string& task_id);

/// The form that clients see, without token and credentials.
[[nodiscard]] boost::json::object to_json(const push_config& of,
                                          const std::string& task_id);

/// The form on disk, with all members; and back.
[[nodiscard]] boost::json::object document_of(const push_config& of);
[[nodiscard]] push_config push_config_of(const boost::json::object& document);

} // namespace convene::server
