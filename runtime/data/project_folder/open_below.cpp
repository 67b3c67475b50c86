#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

bool is_repository(int folder) {
  struct stat status {};
  return ::fstatat(folder, "HEAD", &status, AT_SYMLINK_NOFOLLOW) == 0
         && !S_ISDIR(status.st_mode);
}

} // namespace

error read_error(const std::filesystem::path& file, int code) {
  return file_error(code == EIO ? errc::io_failed : errc::unreadable, file,
                    "cannot be read", {code, std::generic_category()});
}

error write_error(const std::filesystem::path& file, int code) {
  return file_error(errc::io_failed, file, "cannot be written",
                    {code, std::generic_category()});
}

result<place_below> open_below(int root, std::string_view path,
                               const std::filesystem::path& named, going to) {
  const bool create = to == going::make;
  constexpr int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  descriptor at{::openat(root, ".", flags | O_DIRECTORY)};
  if (!at)
    return fail(read_error(named, errno));
  for (;;) {
    if (to != going::look && is_repository(at.get()))
      return fail(file_error(errc::unreadable, named,
                             "is below a folder with a file HEAD, which is a "
                             "Git repository or may become one",
                             "path"));
    const auto end = path.find('/');
    if (end == path.npos)
      return place_below{std::move(at), std::string{path}};
    const std::string part{path.substr(0, end)};
    path.remove_prefix(end + 1);
    if (create && ::mkdirat(at.get(), part.c_str(), 0777) != 0
        && errno != EEXIST)
      return fail(write_error(named, errno));
    descriptor next{::openat(at.get(), part.c_str(), flags)};
    if (!next && errno == ENOENT)
      return place_below{};
    if (!next)
      return fail(read_error(named, errno));
    struct stat status {};
    if (::fstat(next.get(), &status) != 0)
      return fail(read_error(named, errno));
    if (S_ISLNK(status.st_mode))
      return fail(file_error(errc::unreadable, named,
                             "is reached over the link \"" + part
                               + "\", and links are not followed",
                             "no_file"));
    if (!S_ISDIR(status.st_mode)) {
      if (create)
        return fail(write_error(named, ENOTDIR));
      return place_below{};
    }
    at = std::move(next);
  }
}

} // namespace convene::host
