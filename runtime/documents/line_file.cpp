#include <convene/runtime/documents/line_file.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

error cannot_write(errc code, const std::filesystem::path& file) {
  return file_error(
    code, file, "cannot be written: " + std::generic_category().message(errno));
}

} // namespace

result<line_file> line_file::open(const std::filesystem::path& file,
                                  std::string_view start,
                                  const line_visitor& visit) {
  // Not blocking: opening a pipe would else wait for somebody to read from it.
  const int descriptor = ::open(
    file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor == -1)
    return fail(cannot_write(errc::usage, file));
  line_file opened;
  opened.file_ = file;
  opened.descriptor_ = {new int{descriptor}, [](const int* number) {
                          ::close(*number);
                          delete number;
                        }};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return fail(file_error(errc::usage, file, "is not a regular file"));
  off_t whole = 0;
  const auto take = [&](std::string_view line,
                        std::size_t number) -> result<void> {
    const auto end = whole + static_cast<off_t>(line.size()) + 1;
    const bool is_torn = end > status.st_size;
    const bool begins = is_torn ? start.starts_with(
                          line.substr(0, std::min(line.size(), start.size())))
                                : line.starts_with(start);
    auto done = begins ? result<void>{}
                       : fail(errc::usage,
                              "is a line of something else; name another "
                              "file, or a new one",
                              "line_file");
    if (done && !is_torn)
      done = visit(line, number);
    if (!done) {
      auto why = std::move(done).error();
      why.file = file.string();
      why.line = number;
      why.column = std::max<std::size_t>(1, why.column);
      return fail(std::move(why));
    }
    whole = is_torn ? whole : end;
    return {};
  };
  if (const auto read = visit_lines(file, take); !read)
    return fail(read.error());
  if (whole != status.st_size && ::ftruncate(descriptor, whole) != 0)
    return fail(cannot_write(errc::io_failed, file));
  return opened;
}

result<void> line_file::append(std::string_view lines) const {
  if (!write_all(*descriptor_, lines) || ::fdatasync(*descriptor_) != 0)
    return fail(cannot_write(errc::io_failed, file_));
  return {};
}

} // namespace convene::host
