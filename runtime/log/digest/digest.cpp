#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <new>
#include <stdexcept>

namespace convene::host {
namespace {

/// OpenSSL registers its cleanup at exit when it is first used. Registered
/// before the application has objects, it runs after their destructors, which
/// may still end sessions.
[[gnu::constructor(101)]] void register_cleanup() {
  static_cast<void>(OPENSSL_init_crypto(0, nullptr));
}

/// Looked up once: the search costs more than hashing a short text.
const EVP_MD* algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

void check(bool good) {
  if (!good)
    throw std::runtime_error{"libcrypto cannot compute a SHA-256"};
}

} // namespace

void digest::free_context::operator()(EVP_MD_CTX* context) const noexcept {
  EVP_MD_CTX_free(context);
}

digest::digest() : context_{EVP_MD_CTX_new()} {
  if (!context_)
    throw std::bad_alloc{};
  check(EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr) == 1);
}

void digest::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

digest_bytes digest::finish() {
  digest_bytes made{};
  check(EVP_DigestFinal_ex(context_.get(), made.data(), nullptr) == 1);
  return made;
}

std::string digest::finish_hex() {
  return protocol::hex_of(finish());
}

digest_bytes digest_of(std::string_view text) {
  digest whole;
  whole.add(text);
  return whole.finish();
}

std::string hex_digest_of(std::string_view text) {
  return protocol::hex_of(digest_of(text));
}

digest_bytes hmac_sha256(std::string_view key, std::string_view text) {
  digest_bytes made{};
  check(HMAC(algorithm(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(),
             made.data(), nullptr)
        != nullptr);
  return made;
}

} // namespace convene::host
