#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/storage.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/run_callbacks/callback_files.hpp>
#include <spdlog/spdlog.h>

#include <optional>
#include <system_error>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

constexpr std::size_t callback_file_bytes_max = std::size_t{64} << 10;

result<void> sync_names(const fs::path& folder) {
  const auto done = host::posix_storage().sync_folder(folder);
  if (done)
    return {};
  return protocol::fail(host::file_error(
    errc::io_failed, folder,
    "cannot be synced: " + std::generic_category().message(done.error())));
}

result<std::string> read_callback(const fs::path& file) {
  const auto text = host::read_file(file, callback_file_bytes_max);
  if (!text)
    return protocol::fail(text.error());
  const auto parsed = protocol::parse_json(*text);
  const auto* const members = parsed ? parsed->if_object() : nullptr;
  std::string url{members ? protocol::text_of(*members, "url") : ""};
  if (url.empty())
    return protocol::fail(host::file_error(errc::invalid_document, file,
                                           "does not say who is called"));
  return url;
}

} // namespace

result<void> check_callback(const fs::path& file) {
  if (!protocol::parse_uuid(file.stem().string()))
    return protocol::fail(host::file_error(errc::invalid_document, file,
                                           "its name is not a run's id"));
  return read_callback(file).map([](const std::string&) {});
}

result<callback_files> callback_files::open(fs::path folder) {
  std::error_code failed;
  const bool is_new = host::create_private(folder, failed);
  if (failed)
    return protocol::fail(host::file_error(
      errc::io_failed, folder, "cannot be created: " + failed.message()));
  // A URL may have a secret in it.
  fs::permissions(folder, fs::perms::owner_all, failed);
  if (failed)
    return protocol::fail(host::file_error(
      errc::io_failed, folder, "cannot be made private: " + failed.message()));
  if (is_new)
    if (auto done = sync_names(folder.parent_path()); !done)
      return protocol::fail(std::move(done).error());
  return callback_files{std::move(folder)};
}

fs::path callback_files::file_of(const protocol::uuid& run) const {
  return folder_ / (to_string(run) + ".json");
}

std::map<protocol::uuid, std::string> callback_files::load() const {
  std::map<protocol::uuid, std::string> all;
  std::error_code failed;
  for (fs::directory_iterator at{folder_, failed}, end; !failed && at != end;
       at.increment(failed)) {
    const auto& each = *at;
    if (each.path().extension() != ".json")
      continue; // it was being written
    const auto run = protocol::parse_uuid(each.path().stem().string());
    auto url = read_callback(each.path());
    if (run && url)
      all.emplace(*run, *std::move(url));
    else
      spdlog::error("{} is left alone: {}", each.path().string(),
                    url ? "its name is no run's id" : to_string(url.error()));
  }
  if (failed)
    spdlog::error("{} cannot be read, so whoever is named there is not told of "
                  "the ends of runs: {}",
                  folder_.string(), failed.message());
  return all;
}

result<void> callback_files::put(const protocol::uuid& run,
                                 const std::string& url) const {
  const auto text = boost::json::serialize(boost::json::object{{"url", url}});
  if (auto done = host::write_file(file_of(run), text, host::synced::yes);
      !done)
    return done;
  return sync_names(folder_);
}

void callback_files::remove(const protocol::uuid& run) const {
  std::error_code failed;
  fs::remove(file_of(run), failed);
  if (failed)
    spdlog::error("{} cannot be removed: {}", file_of(run).string(),
                  failed.message());
}

} // namespace convene::server
