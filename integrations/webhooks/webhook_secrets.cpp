#include <convene/integrations/webhooks/webhook_secrets.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/keys/secret_file.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <system_error>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

constexpr std::size_t source_name_max = 200;

bool is_source_name(std::string_view name) {
  constexpr std::string_view all
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= source_name_max && name.front() != '.'
         && name.find_first_not_of(all) == name.npos;
}

} // namespace

result<webhook_secrets> webhook_secrets::open(const fs::path& folder) {
  webhook_secrets made;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed)) {
    const auto name = at->path().filename().string();
    if (!is_source_name(name))
      return protocol::fail(
        host::file_error(errc::usage, at->path(),
                         "has no name of a source: 1 to 200 letters, digits, "
                         "dots, _ and -, with no dot first",
                         "source"));
    if (made.all_.size() == sources_max)
      return protocol::fail(host::file_error(
        errc::limit_reached, folder,
        "has more than " + std::to_string(sources_max) + " secrets",
        "webhook_secrets_max"));
    auto secret = read_secret(at->path());
    if (!secret)
      return protocol::fail(std::move(secret).error());
    made.all_.emplace(name, *std::move(secret));
  }
  if (failed)
    return protocol::fail(host::file_error(errc::unreadable, folder,
                                           "cannot be read as a folder of "
                                           "secrets: "
                                             + failed.message()));
  return made;
}

bool webhook_secrets::is_signed(std::string_view source, std::string_view text,
                                std::string_view signature) const {
  const auto found = all_.find(source);
  const auto wanted
    = "sha256="
      + protocol::hex_of(host::hmac_sha256(
        found == all_.end() ? std::string_view{"nobody's"} : found->second,
        text));
  return signature.size() == wanted.size()
         && CRYPTO_memcmp(signature.data(), wanted.data(), wanted.size()) == 0
         && found != all_.end();
}

} // namespace convene::server
