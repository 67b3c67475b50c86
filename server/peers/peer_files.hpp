#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/listen_options.hpp>

#include <string_view>

namespace convene::server {

/// Whether nodes can be known by certificates of this name: a host name that is
/// not a number.
[[nodiscard]] protocol::result<void> check_peer_name(std::string_view node);

/// Checks what a node needs for mutual TLS, before it is used: the files can be
/// read, the key is the certificate's, the certificate is valid now, is signed
/// by the CA for servers and for clients, and has the node's name (SAN). Rule
/// `peer_tls`; the error names the file.
[[nodiscard]] protocol::result<void> check_peer_files(const tls_files& files,
                                                      std::string_view node);

} // namespace convene::server
