#include <convene/runtime/log/files/files.hpp>
#include <convene/server/keys/secret_file.hpp>

#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t secret_bytes_min = 16;
constexpr std::size_t secret_bytes_max = 4'096;

tl::unexpected<protocol::error> bad_secret(const fs::path& file,
                                           std::string why) {
  return protocol::fail(host::file_error(protocol::errc::usage, file,
                                         std::move(why), "webhook_secret"));
}

} // namespace

protocol::result<std::string> read_secret(const fs::path& file) {
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

} // namespace convene::server
