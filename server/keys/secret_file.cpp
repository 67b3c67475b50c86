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

protocol::result<void> check_private(const fs::path& file) {
  std::error_code failed;
  const auto has = fs::status(file, failed).permissions();
  constexpr auto others = fs::perms::group_all | fs::perms::others_all;
  if (failed || (has & others) == fs::perms::none)
    return {}; // reading it says what is wrong
  return protocol::fail(host::file_error(
    protocol::errc::usage, file,
    "holds secrets, and other users may use it; run: chmod 600 "
      + file.string(),
    "file_mode"));
}

protocol::result<std::string> read_secret(const fs::path& file) {
  std::error_code failed;
  const auto is = fs::symlink_status(file, failed);
  if (failed || !fs::is_regular_file(is))
    return bad_secret(file, "must be a regular file");
  if (auto may = check_private(file); !may)
    return protocol::fail(std::move(may).error());
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
