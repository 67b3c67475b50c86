#include "test_server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <curl/curl.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <runtime/log/event_log/files.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <thread>

using namespace convene::server;
using namespace convene::tests;

namespace {

template <auto release>
struct releaser {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};

template <class T, auto release>
using owned = std::unique_ptr<T, releaser<release>>;

/// Opens a file for OpenSSL to write PEM into.
owned<BIO, BIO_free> pem_file(const std::filesystem::path& file) {
  owned<BIO, BIO_free> out{BIO_new_file(file.c_str(), "w")};
  REQUIRE(out);
  return out;
}

/// Creates a self-signed certificate for 127.0.0.1, valid for two days. It uses
/// OpenSSL's library, because its program may not be installed.
tls_files make_certificate(const scratch_folder& folder) {
  const tls_files files{.certificate = folder / "certificate.pem",
                        .key = folder / "key.pem"};
  const owned<EVP_PKEY, EVP_PKEY_free> key{EVP_EC_gen("P-256")};
  const owned<X509, X509_free> made{X509_new()};
  REQUIRE((key && made));
  auto* const subject = X509_get_subject_name(made.get());
  X509V3_CTX context{};
  X509V3_set_ctx(&context, made.get(), made.get(), nullptr, nullptr, 0);
  const owned<X509_EXTENSION, X509_EXTENSION_free> names{X509V3_EXT_conf_nid(
    nullptr, &context, NID_subject_alt_name, "IP:127.0.0.1")};
  REQUIRE((names && X509_set_version(made.get(), X509_VERSION_3)
           && ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1)
           && X509_gmtime_adj(X509_getm_notBefore(made.get()), 0)
           && X509_time_adj_ex(X509_getm_notAfter(made.get()), 2, 0, nullptr)
           && X509_NAME_add_entry_by_NID(
             subject, NID_commonName, MBSTRING_UTF8,
             reinterpret_cast<const unsigned char*>("convene-test"), -1, -1, 0)
           && X509_set_issuer_name(made.get(), subject)
           && X509_set_pubkey(made.get(), key.get())
           && X509_add_ext(made.get(), names.get(), -1)
           && X509_sign(made.get(), key.get(), EVP_sha256())
           && PEM_write_bio_X509(pem_file(files.certificate).get(), made.get())
           && PEM_write_bio_PrivateKey(pem_file(files.key).get(), key.get(),
                                       nullptr, nullptr, 0, nullptr, nullptr)));
  return files;
}

// That version and no other.
constexpr long tls_1_1 = CURL_SSLVERSION_TLSv1_1 + (5L << 16);
constexpr long tls_1_2 = CURL_SSLVERSION_TLSv1_2 + (6L << 16);
constexpr long tls_1_3 = CURL_SSLVERSION_TLSv1_3 + (7L << 16);
static_assert((6L << 16) == CURL_SSLVERSION_MAX_TLSv1_2);

struct curl_answer {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body;
};

std::size_t collect(char* bytes, std::size_t size, std::size_t count,
                    void* into) {
  static_cast<std::string*>(into)->append(bytes, size * count);
  return size * count;
}

curl_answer curl_get(const std::string& url, const tls_files& trusted,
                     long version_max, const char* ciphers = nullptr) {
  curl_answer out;
  CURL* call = curl_easy_init();
  curl_easy_setopt(call, CURLOPT_URL, url.c_str());
  curl_easy_setopt(call, CURLOPT_CAINFO, trusted.certificate.c_str());
  curl_easy_setopt(call, CURLOPT_SSLVERSION, version_max);
  if (ciphers != nullptr)
    curl_easy_setopt(call, CURLOPT_SSL_CIPHER_LIST, ciphers);
  curl_easy_setopt(call, CURLOPT_WRITEFUNCTION, &collect);
  curl_easy_setopt(call, CURLOPT_WRITEDATA, &out.body);
  curl_easy_setopt(call, CURLOPT_TIMEOUT, 120L);
  out.code = curl_easy_perform(call);
  curl_easy_getinfo(call, CURLINFO_RESPONSE_CODE, &out.status);
  curl_easy_cleanup(call);
  return out;
}

} // namespace

TEST_CASE("with a certificate, the server speaks TLS 1.2 and 1.3, no older") {
  const scratch_folder folder;
  const auto files = make_certificate(folder);
  http_server_options how;
  how.tls = files;
  const auto big = std::string(300'000, 'x');
  const test_server server{{{.method = "GET",
                             .pattern = "/stream",
                             .call =
                               [&big](const request&, responder to) {
                                 to({.content_type = "text/plain",
                                     .stream = std::make_shared<told_stream>(
                                       std::vector<std::string>{big, "end"},
                                       true)});
                               }}},
                           {},
                           std::move(how)};
  CHECK(server->url().starts_with("https://127.0.0.1:"));
  for (const auto version : {tls_1_2, tls_1_3}) {
    const auto answer = curl_get(server->url() + "/hello", files, version);
    CHECK(answer.code == CURLE_OK);
    CHECK(answer.body == "hello");
    CHECK(curl_get(server->url() + "/stream", files, version).body
          == big + "end");
  }
  CHECK(curl_get(server->url() + "/hello", files, tls_1_1).code
        == CURLE_SSL_CONNECT_ERROR);
  // Plain HTTP is no handshake.
  auto plain = server.connect();
  plain.send(server.get("/hello"));
  CHECK(status_of(plain.all()) == 0);
}

TEST_CASE("TLS 1.2 is spoken with ciphers that authenticate what they carry") {
  const scratch_folder folder;
  const auto files = make_certificate(folder);
  http_server_options how;
  how.tls = files;
  const test_server server{{}, patient_limits(), std::move(how)};
  const auto with = [&](const char* ciphers) {
    return curl_get(server->url() + "/hello", files, tls_1_2, ciphers).code;
  };
  for (const auto* good :
       {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305"})
    CHECK(with(good) == CURLE_OK);
  for (const auto* bad :
       {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA",
        "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA384",
        "ECDHE-ECDSA-AES128-CCM", "ECDHE-ECDSA-CAMELLIA128-SHA256"})
    CHECK(with(bad) == CURLE_SSL_CONNECT_ERROR);
}

TEST_CASE("who waits for news with TLS and goes away is forgotten") {
  const scratch_folder folder;
  http_server_options how;
  how.tls = make_certificate(folder);
  const test_server server{{{.method = "GET",
                             .pattern = "/later",
                             .call =
                               [](const request&, responder to) {
                                 to.after(std::chrono::hours{1},
                                          [] { return response{}; });
                               }}},
                           patient_limits(),
                           std::move(how)};
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ssl::context anybody{asio::ssl::context::tls_client};
  {
    asio::ssl::stream<asio::ip::tcp::socket> client{io, anybody};
    client.next_layer().connect(
      {asio::ip::address_v4::loopback(), server->port()});
    client.handshake(asio::ssl::stream_base::client);
    asio::write(client, asio::buffer(server.get("/later")));
    // It says goodbye, and does not wait for an answer to that.
    SSL_shutdown(client.native_handle());
    const std::string goodbye(64, '\0');
    boost::system::error_code failed;
    client.next_layer().close(failed);
  }
  for (int tries = 0; server->counts().connections != 0; ++tries) {
    REQUIRE(tries < 6'000);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

TEST_CASE("who sends a body with TLS that is refused can still read why") {
  const scratch_folder folder;
  http_server_options how;
  how.tls = make_certificate(folder);
  http_limits limits = patient_limits();
  limits.body_bytes_max = 1'000;
  const test_server server{{}, limits, std::move(how)};
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ssl::context anybody{asio::ssl::context::tls_client};
  asio::ssl::stream<asio::ip::tcp::socket> client{io, anybody};
  client.next_layer().connect(
    {asio::ip::address_v4::loopback(), server->port()});
  client.handshake(asio::ssl::stream_base::client);
  boost::system::error_code failed;
  asio::write(client,
              asio::buffer(server.post("/echo", std::string(16U << 20, ' '))),
              failed);
  CHECK_FALSE(failed);
  std::string answer;
  asio::read(client, asio::dynamic_buffer(answer), failed);
  CHECK(failed == asio::error::eof);
  CHECK(status_of(answer) == 413);
}

TEST_CASE("a TLS handshake that does not come is not waited for") {
  const scratch_folder folder;
  http_server_options how;
  how.tls = make_certificate(folder);
  http_limits limits;
  limits.request_time = std::chrono::milliseconds{100};
  const test_server server{{}, limits, std::move(how)};
  auto silent = server.connect();
  CHECK(silent.all().empty());
}

TEST_CASE("a certificate or key that cannot be used is named") {
  const scratch_folder folder;
  const auto files = make_certificate(folder);
  const auto error_with = [](const tls_files& bad) {
    auto made = http_server::start({{.port = 0, .tls = bad}});
    REQUIRE_FALSE(made);
    return made.error().file;
  };
  CHECK(error_with({folder / "missing", files.key})
        == (folder / "missing").string());
  CHECK(error_with({files.certificate, files.certificate})
        == files.certificate.string());
  const scratch_folder other;
  const auto others = make_certificate(other);
  CHECK(error_with({files.certificate, others.key}) == others.key.string());
}
