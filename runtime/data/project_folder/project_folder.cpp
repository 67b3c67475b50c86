#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/read_blocks.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace convene::host {
namespace {

using namespace convene::protocol;

error too_large(const std::filesystem::path& named) {
  return file_error(errc::limit_reached, named,
                    "is larger than " + std::to_string(artifact_bytes_max)
                      + " bytes, and is not compared",
                    "artifact_bytes_max");
}

result<file_state> hash_of(int file, const std::filesystem::path& named) {
  digest hasher;
  file_state made{.exists = true};
  const auto failed = read_blocks(file, [&](std::string_view next) {
    made.bytes += next.size();
    hasher.add(next);
    return made.bytes <= artifact_bytes_max;
  });
  if (failed)
    return fail(read_error(named, failed.value()));
  if (made.bytes > artifact_bytes_max) // it grows
    return fail(too_large(named));
  made.sha256 = hasher.finish_hex();
  return made;
}

} // namespace

result<project_folder>
project_folder::open(const std::filesystem::path& folder) {
  descriptor root{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!root)
    return fail(read_error(folder, errno));
  project_folder made;
  made.name_ = folder;
  made.root_ = std::make_shared<const descriptor>(std::move(root));
  return made;
}

int project_folder::root() const noexcept {
  return root_->get();
}

result<std::filesystem::path>
project_folder::named(std::string_view path, std::string_view why) const {
  if (!why.empty())
    return fail(errc::unreadable,
                "the path " + quote(path) + ' ' + std::string{why}, "path");
  return name_ / std::filesystem::path{path};
}

result<file_state> project_folder::look(std::string_view path) const {
  const auto whole = named(path, why_not_below(path));
  if (!whole)
    return fail(whole.error());
  const auto place = open_below(root(), path, *whole, going::look);
  if (!place)
    return fail(place.error());
  if (!place->folder)
    return file_state{};
  struct stat status {};
  const auto* const name = place->name.c_str();
  if (::fstatat(place->folder.get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT)
      return file_state{};
    return fail(read_error(*whole, errno));
  }
  if (S_ISDIR(status.st_mode))
    return file_state{};
  if (!S_ISREG(status.st_mode))
    return fail(file_error(errc::unreadable, *whole,
                           S_ISLNK(status.st_mode)
                             ? "is a link, and links are not followed"
                             : "is not a regular file",
                           "no_file"));
  // It may be something else by now: neither wait for a pipe nor follow a link.
  const descriptor file{
    ::openat(place->folder.get(), name,
             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (!file && errno == ENOENT)
    return file_state{};
  if (!file || ::fstat(file.get(), &status) != 0)
    return fail(read_error(*whole, errno));
  if (!S_ISREG(status.st_mode))
    return fail(
      file_error(errc::unreadable, *whole, "is not a regular file", "no_file"));
  if (static_cast<std::uint64_t>(status.st_size) > artifact_bytes_max)
    return fail(too_large(*whole));
  return hash_of(file.get(), *whole);
}

} // namespace convene::host
