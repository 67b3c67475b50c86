#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/storage.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/run_callbacks/private_folder.hpp>
#include <spdlog/spdlog.h>

#include <string>
#include <system_error>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

constexpr std::size_t private_file_bytes_max = std::size_t{256} << 10;

result<void> sync_names(const fs::path& folder) {
  const auto done = host::posix_storage().sync_folder(folder);
  if (done)
    return {};
  return protocol::fail(host::file_error(
    errc::io_failed, folder,
    "cannot be synced: " + std::generic_category().message(done.error())));
}

} // namespace

result<boost::json::object> read_private(const fs::path& file) {
  if (!protocol::parse_uuid(file.stem().string()))
    return protocol::fail(
      host::file_error(errc::invalid_document, file, "its name is not an id"));
  const auto text = host::read_file(file, private_file_bytes_max);
  if (!text)
    return protocol::fail(text.error());
  auto parsed = protocol::parse_json(*text);
  auto* members = parsed ? parsed->if_object() : nullptr;
  if (members == nullptr)
    return protocol::fail(
      host::file_error(errc::invalid_document, file, "is not a JSON object"));
  return std::move(*members);
}

result<private_folder> private_folder::open(fs::path folder) {
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
  return private_folder{std::move(folder)};
}

fs::path private_folder::file_of(const protocol::uuid& id) const {
  return folder_ / (to_string(id) + ".json");
}

std::map<protocol::uuid, boost::json::object> private_folder::load() const {
  std::map<protocol::uuid, boost::json::object> all;
  std::error_code failed;
  for (fs::directory_iterator at{folder_, failed}, end; !failed && at != end;
       at.increment(failed)) {
    const auto& each = at->path();
    if (each.extension() != ".json")
      continue; // it was being written
    if (auto one = read_private(each))
      all.emplace(protocol::parse_uuid(each.stem().string()).value(),
                  *std::move(one));
    else
      spdlog::error("{} is left alone: {}", each.string(),
                    to_string(one.error()));
  }
  if (failed)
    spdlog::error("{} cannot be read, so the clients in it are not called: "
                  "{}",
                  folder_.string(), failed.message());
  return all;
}

result<void> private_folder::put(const protocol::uuid& id,
                                 const boost::json::object& what) const {
  if (auto done = host::write_file(file_of(id), boost::json::serialize(what),
                                   host::synced::yes);
      !done)
    return done;
  return sync_names(folder_);
}

void private_folder::remove(const protocol::uuid& id) const {
  std::error_code failed;
  fs::remove(file_of(id), failed);
  if (failed)
    spdlog::error("{} cannot be removed: {}", file_of(id).string(),
                  failed.message());
}

} // namespace convene::server
