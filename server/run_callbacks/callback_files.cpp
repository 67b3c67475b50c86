#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/run_callbacks/callback_files.hpp>
#include <spdlog/spdlog.h>

namespace convene::server {
namespace {

using protocol::result;

result<std::string> url_in(const boost::json::object& from,
                           const std::filesystem::path& file) {
  std::string url{protocol::text_of(from, "url")};
  if (url.empty())
    return protocol::fail(host::file_error(protocol::errc::invalid_document,
                                           file, "does not say who is called"));
  return url;
}

} // namespace

result<void> check_callback(const std::filesystem::path& file) {
  const auto read = read_private(file);
  if (!read)
    return protocol::fail(read.error());
  return url_in(*read, file).map([](const std::string&) {});
}

std::map<protocol::uuid, std::string> callback_files::load() const {
  std::map<protocol::uuid, std::string> all;
  for (const auto& [run, members] : folder_.load())
    if (auto url = url_in(members, folder_.file_of(run)))
      all.emplace(run, *std::move(url));
    else
      spdlog::error("{} is left alone: {}", folder_.file_of(run).string(),
                    to_string(url.error()));
  return all;
}

result<void> callback_files::put(const protocol::uuid& run,
                                 const std::string& url) const {
  return folder_.put(run, {{"url", url}});
}

} // namespace convene::server
