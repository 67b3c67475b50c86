#include <convene/protocol/drift/writable_path.hpp>
#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Writes a file that is not there yet, with the permissions of `like`.
bool write_new(const place_below& at, std::string_view content,
               const place_below& like) {
  const descriptor out{
    ::openat(at.folder.get(), at.name.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)};
  if (!out)
    return false;
  struct stat status {};
  constexpr mode_t permissions = 0777;
  if (::fstatat(like.folder.get(), like.name.c_str(), &status,
                AT_SYMLINK_NOFOLLOW)
        == 0
      && S_ISREG(status.st_mode)
      && ::fchmod(out.get(), status.st_mode & permissions) != 0)
    return false;
  return write_all(out.get(), content) && ::fdatasync(out.get()) == 0;
}

bool move_to(const place_below& from, const place_below& to) {
  return ::renameat(from.folder.get(), from.name.c_str(), to.folder.get(),
                    to.name.c_str())
         == 0;
}

/// The file gets its name, unless that is taken.
bool name_new(const place_below& from, const place_below& to) {
  return ::linkat(from.folder.get(), from.name.c_str(), to.folder.get(),
                  to.name.c_str(), 0)
           == 0
         && ::unlinkat(from.folder.get(), from.name.c_str(), 0) == 0;
}

bool exchange(const place_below& one, const place_below& other) {
  if (::renameat2(one.folder.get(), one.name.c_str(), other.folder.get(),
                  other.name.c_str(), RENAME_EXCHANGE)
      == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  // A file system that cannot: for a moment, the path has nothing.
  auto aside = place_below{descriptor{::openat(one.folder.get(), ".",
                                               O_PATH | O_CLOEXEC)},
                           one.name + ".old"};
  if (!aside.folder || !move_to(other, aside))
    return false;
  if (name_new(one, other))
    return move_to(aside, one);
  const int code = errno;
  name_new(aside, other);
  errno = code;
  return false;
}

/// Removes the folders of a path that are empty, the innermost first.
void remove_empty(int root, std::string path) {
  for (auto end = path.rfind('/'); end != path.npos; end = path.rfind('/')) {
    path.resize(end);
    const auto at = open_below(root, path, path, going::look);
    if (!at || !at->folder
        || ::unlinkat(at->folder.get(), at->name.c_str(), AT_REMOVEDIR) != 0)
      return;
  }
}

} // namespace

result<bool> project_folder::replace(std::string_view path,
                                     std::optional<std::string_view> content,
                                     bool was_there,
                                     const std::string& keep_at) const {
  const auto whole = named(path, why_not_written(path));
  if (!whole)
    return fail(whole.error());
  const auto kept_path = keep_at + '/' + std::string{path};
  const auto kept_name = name_ / std::filesystem::path{kept_path};
  const auto to = open_below(root(), path, *whole,
                             content ? going::make : going::move);
  if (!to)
    return fail(to.error());
  if (!to->folder)
    return false; // nothing to remove
  const auto kept = open_below(root(), kept_path, kept_name, going::make);
  if (!kept)
    return fail(kept.error());
  if (!content) {
    if (move_to(*to, *kept))
      return true;
    if (errno == ENOENT)
      return false;
    return fail(write_error(*whole, errno));
  }
  // The new content is written to where the old one will be kept; then both
  // change places.
  if (!write_new(*kept, *content, *to)) {
    const int code = errno;
    if (code != EEXIST)
      ::unlinkat(kept->folder.get(), kept->name.c_str(), 0);
    return fail(write_error(kept_name, code));
  }
  if (was_there && exchange(*kept, *to))
    return true;
  const bool made = !was_there && name_new(*kept, *to);
  const int code = errno;
  if (!made)
    ::unlinkat(kept->folder.get(), kept->name.c_str(), 0);
  remove_empty(root(), kept_path);
  if (made)
    return false;
  if (code == EEXIST || code == ENOENT)
    return fail(file_error(errc::unreadable, *whole,
                           "changed meanwhile: look once more",
                           "changed_meanwhile"));
  return fail(write_error(*whole, code));
}

} // namespace convene::host
