#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace convene::host {
namespace {

using namespace convene::protocol;

struct close_folder {
  void operator()(DIR* folder) const noexcept {
    ::closedir(folder);
  }
};

/// Of the folder or file itself, not of what it is in.
bool is_excluded(const std::vector<std::string>& patterns,
                 const std::string& name, const std::string& path) {
  return name == ".git" || name == kept_folder
         || std::ranges::any_of(patterns, [&](const std::string& pattern) {
              return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0
                     || ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME)
                          == 0;
            });
}

class lister {
public:
  lister(const std::filesystem::path& root,
         const std::vector<std::string>& excluded)
    : root_{root}, excluded_{excluded} {
    // nop
  }

  /// Takes the descriptor. `path` is empty or ends with a slash.
  result<void> go(int number, const std::string& path, int depth) {
    const std::unique_ptr<DIR, close_folder> folder{::fdopendir(number)};
    if (!folder) {
      const descriptor closed{number};
      made.errors.push_back(read_error(root_ / path, errno));
      return {};
    }
    if (depth > drift_depth_max)
      return fail(file_error(errc::limit_reached, root_,
                             "has folders nested over "
                               + std::to_string(drift_depth_max)
                               + " deep: leave some out with --exclude",
                             "drift_depth_max"));
    for (;;) {
      errno = 0;
      const auto* const entry = ::readdir(folder.get());
      if (entry == nullptr)
        break;
      const std::string name{entry->d_name};
      if (name == "." || name == ".."
          || is_excluded(excluded_, name, path + name))
        continue;
      if (++entries_ > drift_files_max)
        return fail(file_error(errc::limit_reached, root_,
                               "has over " + std::to_string(drift_files_max)
                                 + " files: leave some out with --exclude",
                               "drift_files_max"));
      if (auto done = see(::dirfd(folder.get()), name, path + name, depth);
          !done)
        return done;
    }
    if (errno != 0)
      made.errors.push_back(read_error(root_ / path, errno));
    return {};
  }

  folder_listing made;

private:
  result<void> see(int in, const std::string& name, const std::string& path,
                   int depth) {
    struct stat status {};
    if (::fstatat(in, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT)
        made.errors.push_back(read_error(root_ / path, errno));
      return {};
    }
    if (!valid_utf8(path))
      made.skipped.emplace_back(path, "its name is not UTF-8");
    else if (S_ISREG(status.st_mode))
      made.files.push_back(path);
    else if (S_ISDIR(status.st_mode))
      return enter(in, name, path, depth);
    else
      made.skipped.emplace_back(path, S_ISLNK(status.st_mode)
                                        ? "a link"
                                        : "no regular file");
    return {};
  }

  result<void> enter(int in, const std::string& name, const std::string& path,
                     int depth) {
    made.folders.push_back(path);
    const int below = ::openat(in, name.c_str(),
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below != -1)
      return go(below, path + '/', depth + 1);
    if (errno != ENOENT)
      made.errors.push_back(read_error(root_ / path, errno));
    return {};
  }

  const std::filesystem::path& root_;
  const std::vector<std::string>& excluded_;
  std::size_t entries_ = 0;
};

} // namespace

bool is_excluded_below(const std::vector<std::string>& patterns,
                       std::string_view path) {
  for (std::size_t begin = 0; begin != path.npos;) {
    const auto end = path.find('/', begin);
    if (is_excluded(patterns, std::string{path.substr(begin, end - begin)},
                    std::string{path.substr(0, end)}))
      return true;
    begin = end == path.npos ? end : end + 1;
  }
  return false;
}

result<folder_listing>
project_folder::list(const std::vector<std::string>& excluded) const {
  lister found{name_, excluded};
  const int copy = ::openat(root(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy == -1)
    return fail(read_error(name_, errno));
  if (auto done = found.go(copy, "", 0); !done)
    return fail(std::move(done).error());
  std::ranges::sort(found.made.files);
  std::ranges::sort(found.made.skipped);
  return std::move(found.made);
}

} // namespace convene::host
