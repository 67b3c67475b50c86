#include <convene/server/peers/peer_files.hpp>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::fail;

constexpr std::uintmax_t file_bytes_max = std::uintmax_t{1} << 20;

template <auto Free>
struct freed {
  void operator()(auto* what) const {
    Free(what);
  }
};
using certificate = std::unique_ptr<X509, freed<&X509_free>>;
using private_key = std::unique_ptr<EVP_PKEY, freed<&EVP_PKEY_free>>;
using memory = std::unique_ptr<BIO, freed<&BIO_free>>;
using authorities = std::unique_ptr<X509_STORE, freed<&X509_STORE_free>>;
using check = std::unique_ptr<X509_STORE_CTX, freed<&X509_STORE_CTX_free>>;
struct free_stack {
  void operator()(STACK_OF(X509) * what) const {
    sk_X509_free(what);
  }
};

tl::unexpected<protocol::error> unusable(const fs::path& file,
                                         std::string what) {
  return fail(protocol::error{.code = protocol::errc::usage,
                              .message = std::move(what),
                              .file = file.string(),
                              .rule = "peer_tls"});
}

protocol::result<std::string> read_file(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    return unusable(file, "is not a regular file, or is not there");
  if (const auto size = fs::file_size(file, failed);
      failed || size > file_bytes_max)
    return unusable(file, "cannot be read, or is longer than a megabyte");
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open() || in.bad())
    return unusable(file, "cannot be read");
  return text;
}

memory reader_of(const std::string& text) {
  return memory{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// All of a file, in its order.
protocol::result<std::vector<certificate>>
read_certificates(const fs::path& file) {
  const auto text = read_file(file);
  if (!text)
    return fail(text.error());
  const auto from = reader_of(*text);
  std::vector<certificate> made;
  while (
    auto* const one = PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr))
    made.emplace_back(one);
  ERR_clear_error();
  if (made.empty())
    return unusable(file, "has no certificate in PEM");
  return made;
}

/// A key with a pass phrase is an error, not a question.
int no_pass_phrase(char*, int, int, void*) {
  return 0;
}

protocol::result<void> check_key(const fs::path& file, X509* of) {
  const auto text = read_file(file);
  if (!text)
    return fail(text.error());
  const auto from = reader_of(*text);
  const private_key key{
    PEM_read_bio_PrivateKey(from.get(), nullptr, no_pass_phrase, nullptr)};
  ERR_clear_error();
  if (!key)
    return unusable(file,
                    "has no private key in PEM that needs no pass phrase");
  if (X509_check_private_key(of, key.get()) != 1) {
    ERR_clear_error();
    return unusable(file, "is not the key of the certificate");
  }
  return {};
}

protocol::result<void> check_dates(const fs::path& file, X509* of) {
  if (X509_cmp_current_time(X509_get0_notBefore(of)) > 0)
    return unusable(file, "is not valid yet; is the clock right?");
  if (X509_cmp_current_time(X509_get0_notAfter(of)) < 0)
    return unusable(file, "has expired; make a new certificate");
  return {};
}

/// Whether the CA signs it, as a server and as a client.
protocol::result<void> check_signatures(const tls_files& files,
                                        const std::vector<certificate>& chain) {
  const auto roots = read_certificates(files.client_ca);
  if (!roots)
    return fail(roots.error());
  const authorities store{X509_STORE_new()};
  for (const auto& one : *roots)
    X509_STORE_add_cert(store.get(), one.get());
  const std::unique_ptr<STACK_OF(X509), free_stack> between{sk_X509_new_null()};
  for (const auto& one : chain)
    sk_X509_push(between.get(), one.get());
  for (const int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
    const check with{X509_STORE_CTX_new()};
    X509_STORE_CTX_init(with.get(), store.get(), chain.front().get(),
                        between.get());
    X509_STORE_CTX_set_purpose(with.get(), purpose);
    if (X509_verify_cert(with.get()) == 1)
      continue;
    const std::string why
      = X509_verify_cert_error_string(X509_STORE_CTX_get_error(with.get()));
    ERR_clear_error();
    return unusable(
      files.certificate,
      std::string{"cannot be used as a "}
        + (purpose == X509_PURPOSE_SSL_SERVER ? "server" : "client")
        + " with the CA " + files.client_ca.string() + ": " + why);
  }
  return {};
}

} // namespace

protocol::result<void> check_peer_name(std::string_view node) {
  const auto last = node.substr(node.rfind('.') + 1);
  const bool is_number = last.empty() || (last[0] >= '0' && last[0] <= '9');
  if (!is_number && node.front() != '.' && node.front() != '-'
      && node.find("..") == node.npos)
    return {};
  return fail(protocol::errc::usage,
              "with --peer-tls the name of a node is a host name, since its "
              "certificate has it: \""
                + std::string{node}
                + "\" is not one, or looks like a number; choose another "
                  "--node",
              "peer_tls");
}

protocol::result<void> check_peer_files(const tls_files& files,
                                        std::string_view node) {
  const auto chain = read_certificates(files.certificate);
  if (!chain)
    return fail(chain.error());
  auto* const own = chain->front().get();
  return check_key(files.key, own)
    .and_then([&] { return check_dates(files.certificate, own); })
    .and_then([&] { return check_signatures(files, *chain); })
    .and_then([&]() -> protocol::result<void> {
      if (X509_check_host(own, node.data(), node.size(),
                          X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr)
          == 1)
        return {};
      return unusable(files.certificate,
                      "does not have the name of the node, \""
                        + std::string{node} + "\", as a DNS name (SAN)");
    });
}

} // namespace convene::server
