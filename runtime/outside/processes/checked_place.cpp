#include <convene/runtime/outside/processes/checked_place.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace convene::host {
namespace {

/// Opens one name at a time, so that a link is opened itself and nothing can be
/// opened below it.
int open_without_links(const char* path) noexcept {
  int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  std::array<char, NAME_MAX + 1> name{};
  while (at >= 0) {
    while (*path == '/')
      ++path;
    if (*path == '\0')
      return at;
    std::size_t length = 0;
    for (; *path != '\0' && *path != '/'; ++path, ++length)
      if (length < NAME_MAX)
        name[length] = *path;
    name[std::min<std::size_t>(length, NAME_MAX)] = '\0';
    const int next = length > NAME_MAX
                       ? -1
                       : openat(at, name.data(),
                                O_PATH | O_NOFOLLOW | O_CLOEXEC);
    const int failed = length > NAME_MAX ? ENAMETOOLONG : errno;
    close(at);
    errno = failed;
    at = next;
  }
  return -1;
}

} // namespace

std::optional<checked_place> place_at(std::string path) {
  const int file = open_without_links(path.c_str());
  if (file < 0)
    return std::nullopt;
  struct stat is {};
  const bool is_there = fstat(file, &is) == 0 && !S_ISLNK(is.st_mode);
  close(file);
  if (!is_there)
    return std::nullopt;
  return checked_place{std::move(path), is.st_dev,
                       S_ISDIR(is.st_mode) ? is.st_ino : 0};
}

int open_place(const checked_place& what) noexcept {
  const int file = open_without_links(what.path.c_str());
  if (file < 0)
    return -1;
  struct stat is {};
  if (fstat(file, &is) == 0
      && (what.number != 0
            ? is.st_dev == what.device && is.st_ino == what.number
            : S_ISREG(is.st_mode)))
    return file;
  close(file);
  errno = ESTALE;
  return -1;
}

} // namespace convene::host
