#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/listen_options.hpp>

#include <memory>

namespace boost::asio::ssl {
class context;
} // namespace boost::asio::ssl

namespace convene::server {

/// TLS 1.2 and newer with that certificate. The error names the file that
/// cannot be used.
[[nodiscard]] protocol::result<std::shared_ptr<boost::asio::ssl::context>>
open_tls(const tls_files& files);

} // namespace convene::server
