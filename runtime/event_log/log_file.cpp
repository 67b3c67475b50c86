#include <convene/runtime/event_log/log_file.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

auto failed(const std::filesystem::path& path, std::string_view doing,
            int number) {
  return fail({.code = errc::io_failed,
               .message = std::string{doing} + " failed: "
                          + std::generic_category().message(number),
               .file = path.string()});
}

auto refused(const std::filesystem::path& path, std::string_view why) {
  return fail({.code = errc::io_failed,
               .message = std::string{why},
               .file = path.string(),
               .rule = "log_exists"});
}

} // namespace

log_file::log_file(std::filesystem::path path, int descriptor)
  : path_{std::move(path)}, descriptor_{descriptor} {
  // nop
}

log_file::log_file(log_file&& other) noexcept
  : path_{std::move(other.path_)}, descriptor_{
                                     std::exchange(other.descriptor_, -1)} {
  // nop
}

log_file::~log_file() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

result<log_file> log_file::create(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody reads fails instead of waiting.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  log_file file{path, ::open(path.c_str(), flags, 0644)};
  if (file.descriptor_ < 0)
    return failed(path, "creating the log", errno);
  struct stat about {};
  if (::fstat(file.descriptor_, &about) != 0)
    return failed(path, "looking at the log", errno);
  if (!S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode))
    return refused(path, "a log can only be written to a regular file");
  if (about.st_size != 0)
    return refused(path, "the file exists and is not empty; name another one "
                         "or move it away");
  return file;
}

result<void> log_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failed(path_, "writing the log", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

result<void> log_file::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0)
    return failed(path_, "closing the log", errno);
  return {};
}

} // namespace convene::host
