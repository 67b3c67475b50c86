#include <convene/cli/commands/mcp/data_folder.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/temporary_folder.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <system_error>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "convene-mcp";
/// A younger folder may be one that its process is about to lock.
constexpr std::time_t left_after_s = 60;
constexpr int removed_max = 100;

/// Whether the folder is this user's, and no process has locked it.
bool is_left(const fs::path& folder) {
  const host::descriptor opened{
    ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat is {};
  return opened && ::fstat(opened.get(), &is) == 0 && is.st_uid == ::geteuid()
         && std::time(nullptr) - is.st_mtime > left_after_s
         && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_left(const fs::path& below) {
  std::error_code failed;
  int removed = 0;
  for (fs::directory_iterator at{below, failed};
       !failed && at != fs::directory_iterator{} && removed < removed_max;
       at.increment(failed))
    if (const auto path = at->path();
        path.stem() == name && path.has_extension() && is_left(path)) {
      std::error_code ignored;
      fs::remove_all(path, ignored);
      ++removed;
    }
}

} // namespace

protocol::result<fs::path> data_folder::open(const std::string& named) {
  if (!named.empty())
    return named;
  return host::find_temporary_folder().and_then([this](const fs::path& below) {
    remove_left(below);
    own_.emplace(below / name);
    return own_->make().map([this] { return own_->path(); });
  });
}

} // namespace convene::cli
