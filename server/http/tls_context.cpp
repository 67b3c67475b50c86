#include <boost/asio/ssl/context.hpp>
#include <convene/server/http/tls_context.hpp>
#include <openssl/ssl.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace convene::server {
namespace {

namespace fs = std::filesystem;

protocol::error unusable(const std::filesystem::path& file, std::string what) {
  return {.code = protocol::errc::unreadable,
          .message = std::move(what),
          .file = file.string(),
          .rule = "tls"};
}

/// Has each client show a certificate, in each handshake: no session is
/// resumed.
protocol::result<void> ask_clients(boost::asio::ssl::context& of,
                                   const fs::path& authorities) {
  boost::system::error_code failed;
  of.load_verify_file(authorities.string(), failed);
  auto* const names = SSL_load_client_CA_file(authorities.c_str());
  if (failed || names == nullptr)
    return protocol::fail(
      unusable(authorities, "has no certificates of a CA in PEM"));
  SSL_CTX_set_client_CA_list(of.native_handle(), names); // takes them
  of.set_verify_mode(boost::asio::ssl::verify_peer
                     | boost::asio::ssl::verify_fail_if_no_peer_cert);
  SSL_CTX_set_session_cache_mode(of.native_handle(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(of.native_handle(), SSL_OP_NO_TICKET);
  return {};
}

} // namespace

protocol::result<std::shared_ptr<boost::asio::ssl::context>>
open_tls(const tls_files& files) {
  using boost::asio::ssl::context;
  // Opening a pipe would wait for its writer.
  for (const auto& file : {files.certificate, files.key})
    if (std::error_code none;
        fs::exists(file, none) && !fs::is_regular_file(file, none))
      return protocol::fail(unusable(file, "is not a regular file"));
  auto made = std::make_shared<context>(context::tls_server);
  boost::system::error_code failed;
  made->set_options(context::default_workarounds | context::no_sslv2
                      | context::no_sslv3 | context::no_tlsv1
                      | context::no_tlsv1_1 | context::no_compression,
                    failed);
  // Of TLS 1.2 only what authenticates its bytes and keeps no secret that opens
  // them later; of 1.3 that is all.
  if (SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION) != 1
      || SSL_CTX_set_cipher_list(made->native_handle(),
                                 "ECDHE+AESGCM:ECDHE+CHACHA20")
           != 1)
    return protocol::fail(unusable(
      files.certificate, "cannot be used: this OpenSSL has no cipher for it"));
  // A connection that waits needs no buffers, and nobody renegotiates.
  SSL_CTX_set_mode(made->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(made->native_handle(), SSL_OP_NO_RENEGOTIATION);
  made->use_certificate_chain_file(files.certificate.string(), failed);
  if (failed)
    return protocol::fail(unusable(
      files.certificate, "has no certificate in PEM: " + failed.message()));
  // A key that wants a pass phrase is an error, not a question.
  made->set_password_callback(
    [](std::size_t, context::password_purpose) { return std::string{}; },
    failed);
  made->use_private_key_file(files.key.string(), context::pem, failed);
  if (failed)
    return protocol::fail(
      unusable(files.key, "has no private key in PEM that belongs to the "
                          "certificate and needs no pass phrase: "
                            + failed.message()));
  if (!files.client_ca.empty())
    if (auto done = ask_clients(*made, files.client_ca); !done)
      return protocol::fail(std::move(done).error());
  return made;
}

} // namespace convene::server
