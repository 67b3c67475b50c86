#include <convene/integrations/webhooks/webhook_secrets.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <system_error>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

constexpr std::size_t secret_bytes_min = 16;
constexpr std::size_t secret_bytes_max = 4'096;
constexpr std::size_t source_name_max = 200;

bool is_source_name(std::string_view name) {
  constexpr std::string_view all
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= source_name_max && name.front() != '.'
         && name.find_first_not_of(all) == name.npos;
}

tl::unexpected<protocol::error> bad_secret(const fs::path& file,
                                           std::string why) {
  return protocol::fail(
    host::file_error(errc::usage, file, std::move(why), "webhook_secret"));
}

} // namespace

result<std::string> read_secret(const fs::path& file) {
  std::error_code failed;
  const auto is = fs::symlink_status(file, failed);
  if (failed || !fs::is_regular_file(is))
    return bad_secret(file, "is no regular file, as a secret's file is");
  constexpr auto others = fs::perms::group_all | fs::perms::others_all;
  if ((is.permissions() & others) != fs::perms::none)
    return bad_secret(file, "can be read or written by others than its owner: "
                            "change its permissions to 600");
  auto text = host::read_file(file, secret_bytes_max + 2);
  if (!text)
    return text;
  text->resize(text->find_last_not_of("\r\n") + 1);
  if (text->size() < secret_bytes_min || text->size() > secret_bytes_max)
    return bad_secret(file, "has not " + std::to_string(secret_bytes_min)
                              + " to " + std::to_string(secret_bytes_max)
                              + " bytes, as a secret has");
  return text;
}

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
