#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/server/server.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::cli {

/// The options of `convene serve`, as they were given.
struct serve_arguments {
  std::string listen = "127.0.0.1:8080";
  std::string data;
  std::string workflows; ///< a folder of definitions; empty: none
  bool without_conversations = false;
  std::string replay_divergence = "continue";
  std::string outside;         ///< a log of events; empty: none are taken
  std::string webhook_secrets; ///< a folder; empty: no source signs
  std::string callback_secret; ///< a file; empty: calls are not signed
  std::string agents; ///< a folder of scenarios for A2A; empty: no agent
  std::string keys;   ///< empty: nobody needs one
  std::string tls;    ///< "CERT,KEY"; empty: without
  std::uint64_t keep_days = 0;  ///< 0: for ever
  std::uint64_t keep_bytes = 0; ///< 0: any number
  std::string durability = "group";
  std::string public_url; ///< empty: services are not told one, and A2A
                          ///< clients the one by which they asked
  std::vector<std::string> names;
  std::vector<std::string> origins;
  std::vector<std::string> limits;
  std::string cluster; ///< the URL of its database; empty: none
  std::string node;
  std::string labels;
  std::uint64_t lease = 30; ///< s
  std::string peer_listen;  ///< empty: other nodes do not connect to it
  std::string peer_tls;     ///< "CERT,KEY,CA"
  bool host_participants = false;
  std::string events_to;           ///< the URL of a stream; empty: none
  std::string events_credentials;  ///< a file; empty: without
  std::string events_ca;           ///< likewise
  std::uint64_t events_sync = 120; ///< s
  std::vector<std::string> allow;
  bool sandbox = false;
  bool log_prompts = false;
};

/// Declares the options of `convene serve`.
void add_arguments(const command_line& command, serve_arguments& arguments);

/// The server that was asked for, without the endpoints of `outside` and
/// `webhook_secrets`.
[[nodiscard]] protocol::result<server::server_options>
server_options_of(const serve_arguments& arguments,
                  const common_options& common);

} // namespace convene::cli
