#include <convene/protocol/base/hex.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/keys/random_hex.hpp>
#include <convene/server/keys/secret_file.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::result;
namespace fs = std::filesystem;

constexpr std::size_t secret_bytes = 32;
constexpr std::size_t token_bytes_max = 8'192; ///< a request's line has no more

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Without padding, as in RFC 7515.
std::string to_base64url(std::string_view text) {
  std::string made((text.size() + 2) / 3 * 4 + 1, '\0');
  const auto size
    = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(made.data()),
                      bytes_of(text), static_cast<int>(text.size()));
  made.resize(static_cast<std::size_t>(size));
  made.resize(made.find_last_not_of('=') + 1);
  std::ranges::replace(made, '+', '-');
  std::ranges::replace(made, '/', '_');
  return made;
}

/// Nothing: it is not what `to_base64url` writes.
std::optional<std::string> from_base64url(std::string_view text) {
  std::string padded{text};
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::string made(padded.size() / 4 * 3, '\0');
  const auto size
    = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(made.data()),
                      bytes_of(padded), static_cast<int>(padded.size()));
  if (size < 0)
    return std::nullopt;
  made.resize(text.size() * 3 / 4);
  return to_base64url(made) == text ? std::optional{made} : std::nullopt;
}

std::string hmac_of(std::string_view secret, std::string_view text) {
  const auto made = host::hmac_sha256(secret, text);
  return {made.begin(), made.end()};
}

/// Where `write_file` writes first, for the owner alone.
result<void> make_private(const fs::path& file) {
  auto fresh = file;
  fresh += host::unfinished_ending;
  const auto made = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool is_private = made != -1 && ::fchmod(made, 0600) == 0;
  const auto why = errno;
  if (made != -1)
    ::close(made);
  if (is_private)
    return {};
  return protocol::fail(host::file_error(
    errc::usage, fresh,
    "cannot be written: " + std::generic_category().message(why)));
}

} // namespace

result<token_signer> token_signer::open(const fs::path& file) {
  std::error_code failed;
  if (!fs::exists(file, failed)) {
    const auto secret = random_hex(secret_bytes);
    if (secret.empty())
      return protocol::fail(errc::internal, "the system has no random numbers");
    auto written = make_private(file).and_then(
      [&] { return host::write_file(file, secret + '\n', host::synced::yes); });
    if (!written)
      return protocol::fail(std::move(written).error());
  }
  if (auto may = check_private(file); !may)
    return protocol::fail(std::move(may).error());
  auto text = host::read_file(file, 2 * secret_bytes + 2);
  if (!text)
    return protocol::fail(std::move(text).error());
  if (text->ends_with('\n'))
    text->pop_back();
  if (!protocol::is_lower_hex(*text, 2 * secret_bytes))
    return protocol::fail(host::file_error(
      errc::invalid_document, file,
      "has no secret of 64 hexadecimal digits; remove it to have one made, "
      "which ends the tokens that were signed with the old one",
      "token_secret"));
  return token_signer{*std::move(text)};
}

std::string token_signer::sign(std::string_view text) const {
  return to_base64url(text) + '.' + to_base64url(hmac_of(secret_, text));
}

std::optional<std::string> token_signer::read(std::string_view token) const {
  const auto dot = token.find('.');
  if (dot == token.npos || token.size() > token_bytes_max)
    return std::nullopt;
  auto text = from_base64url(token.substr(0, dot));
  const auto given = from_base64url(token.substr(dot + 1));
  if (!text || !given)
    return std::nullopt;
  const auto wanted = hmac_of(secret_, *text);
  if (given->size() != wanted.size()
      || CRYPTO_memcmp(given->data(), wanted.data(), wanted.size()) != 0)
    return std::nullopt;
  return text;
}

} // namespace convene::server
