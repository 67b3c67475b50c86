#include <convene/cli/commands/mcp/data_folder.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/temporary_folder.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <system_error>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "convene-mcp";
/// A younger folder may be one that its process is about to lock.
constexpr std::time_t left_after_s = 60;
constexpr int removed_max = 100;
/// In every folder that was made here, and in no other.
constexpr const char* mark_name = ".convene-mcp-temporary";
constexpr std::string_view mark_text
  = "convene mcp made this folder and removes it.\n";
constexpr mode_t mark_mode = 0600;

/// Whether the name is one that staging_folder gives.
bool is_made_name(const fs::path& path) {
  const auto random = path.extension().string();
  return path.stem() == name
         && random.size() == std::string_view{".XXXXXX"}.size()
         && std::all_of(random.begin() + 1, random.end(),
                        [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool is_marked(int folder) {
  const host::descriptor mark{::openat(
    folder, mark_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  std::array<char, mark_text.size() + 1> text{};
  const auto size = mark ? ::read(mark.get(), text.data(), text.size()) : -1;
  return size >= 0
         && std::string_view{text.data(), static_cast<std::size_t>(size)}
              == mark_text;
}

protocol::result<void> put_mark(const fs::path& folder) {
  const auto path = folder / mark_name;
  const host::descriptor mark{
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
           mark_mode)};
  if (mark
      && ::write(mark.get(), mark_text.data(), mark_text.size())
           == static_cast<ssize_t>(mark_text.size()))
    return {};
  return protocol::fail(
    host::file_error(protocol::errc::io_failed, path, "cannot be written",
                     std::error_code{errno, std::generic_category()}));
}

/// Whether the folder is this user's, was made here, and no process has locked
/// it.
bool is_left(const fs::path& folder) {
  const host::descriptor opened{
    ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat is {};
  return opened && ::fstat(opened.get(), &is) == 0 && is.st_uid == ::geteuid()
         && is_marked(opened.get())
         && std::time(nullptr) - is.st_mtime > left_after_s
         && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_left(const fs::path& below) {
  std::error_code failed;
  int removed = 0;
  for (fs::directory_iterator at{below, failed};
       !failed && at != fs::directory_iterator{} && removed < removed_max;
       at.increment(failed))
    if (const auto path = at->path(); is_made_name(path) && is_left(path)) {
      std::error_code ignored;
      fs::remove_all(path, ignored);
      ++removed;
    }
}

} // namespace

protocol::result<fs::path> data_folder::open(const std::string& named) {
  if (!named.empty()) {
    // A killed process may have made it: it is the user's from now on.
    const host::descriptor opened{
      ::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (opened && is_marked(opened.get()))
      static_cast<void>(::unlinkat(opened.get(), mark_name, 0));
    return named;
  }
  return host::find_temporary_folder().and_then([this](const fs::path& below) {
    remove_left(below);
    own_.emplace(below / name);
    return own_->make()
      .and_then([this] { return put_mark(own_->path()); })
      .map([this] { return own_->path(); });
  });
}

} // namespace convene::cli
