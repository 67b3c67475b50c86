#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <memory>

namespace boost::asio::ssl {
class context;
} // namespace boost::asio::ssl

namespace convene::server {

/// Files in PEM: a certificate, with those between it and its root, and its
/// key.
struct tls_files {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// TLS 1.2 and newer with that certificate. The error names the file that
/// cannot be used.
[[nodiscard]] protocol::result<std::shared_ptr<boost::asio::ssl::context>>
open_tls(const tls_files& files);

} // namespace convene::server
