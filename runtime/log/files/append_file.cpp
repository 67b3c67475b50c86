#include <convene/runtime/log/files/append_file.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace convene::host {

using namespace protocol;

namespace {

/// `errno` as the error of a file that is written.
tl::unexpected<error> cannot_write(errc code,
                                   const std::filesystem::path& file) {
  return fail(file_error(code, file, "cannot be written", last_error()));
}

} // namespace

result<append_file> append_file::open(const std::filesystem::path& file) {
  // Not blocking: opening a pipe would else wait for somebody to read from it.
  auto opened = open_reserved(
    file, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0600);
  if (!opened)
    return cannot_write(errc::usage, file);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(file_error(errc::usage, file, "is not a regular file"));
  append_file made;
  made.name_ = file;
  made.file_ = std::make_shared<const descriptor>(std::move(opened));
  made.bytes_ = status.st_size;
  return made;
}

result<void> append_file::append(std::string_view text, synced how) const {
  if (!write_all(get(), text)
      || (how == synced::yes && ::fdatasync(get()) != 0))
    return cannot_write(errc::io_failed, name_);
  return {};
}

result<void> append_file::cut(std::int64_t bytes) const {
  if (::ftruncate(get(), bytes) != 0)
    return cannot_write(errc::io_failed, name_);
  return {};
}

} // namespace convene::host
