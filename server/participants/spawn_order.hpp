#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/session/requests/request.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::server {

/// A node that asks for a participant presents itself.
struct presented_node {
  std::string name;
  std::string boot_id;
  std::string version;
  std::string schemas; ///< see `host::embedded_schemas_hash`
};

/// A participant that another node is to run.
struct spawn_order {
  presented_node by;
  std::string key; ///< 64 digits, for the messages of its turns
  session::session_info about;
  /// Its behaviour, without `node`, under its id, and all that counts for it.
  session::spec settings;

  [[nodiscard]] const protocol::participant& who() const {
    return settings.collab.participants.front();
  }
};

[[nodiscard]] protocol::json::object encode(const spawn_order& what);

/// Errors name the member.
[[nodiscard]] protocol::result<spawn_order>
decode_spawn(const protocol::json::value& from);

} // namespace convene::server
