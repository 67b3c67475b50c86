#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

// For sources in this folder only.

namespace convene::host {

/// How a client presents itself to a server; nothing set: not at all.
struct nats_credentials {
  bool is_file = false; ///< NATS' own form, which libnats reads itself
  std::string user;
  std::string password;
  std::string token;
};

/// Rule `events_credentials`; no message has what is in the file.
[[nodiscard]] protocol::result<nats_credentials>
read_nats_credentials(const std::filesystem::path& file);

} // namespace convene::host
