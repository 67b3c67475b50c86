#include <convene/runtime/log/files/append_target.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace convene::host {

using namespace protocol;

error cannot_write(errc code, const std::filesystem::path& file) {
  return file_error(
    code, file, "cannot be written: " + std::generic_category().message(errno));
}

result<append_target> open_to_append(const std::filesystem::path& file) {
  // Not blocking: opening a pipe would else wait for somebody to read from it.
  const int descriptor = ::open(
    file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor == -1)
    return fail(cannot_write(errc::usage, file));
  append_target made{.descriptor = {new int{descriptor}, [](const int* number) {
                                      ::close(*number);
                                      delete number;
                                    }}};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return fail(file_error(errc::usage, file, "is not a regular file"));
  made.bytes = status.st_size;
  return made;
}

} // namespace convene::host
