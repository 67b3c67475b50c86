#pragma once

#include <convene/server/http/http_limits.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convene::server {

/// Files in PEM: a certificate, with those between it and its root, and its
/// key.
struct tls_files {
  std::filesystem::path certificate;
  std::filesystem::path key;
  /// Certificates that sign those of clients, who must have one; empty: clients
  /// need none.
  std::filesystem::path client_ca = {};
};

/// Where a server listens, and under which names.
struct listen_options {
  std::string address = "127.0.0.1"; ///< of this machine, as a number
  std::uint16_t port = 8080;         ///< 0: one that is free
  /// Host names that requests may have besides the address and, on loopback,
  /// `localhost`; in lower case, without a port.
  std::vector<std::string> names;
  std::vector<std::string> origins; ///< whose pages may use it: CORS
  std::optional<tls_files> tls;
  unsigned threads = 2;
  http_limits limits;
};

} // namespace convene::server
