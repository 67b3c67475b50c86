#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Owns a file descriptor.
class descriptor {
public:
  explicit descriptor(int number) noexcept : number_(number) {}

  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  ~descriptor() {
    close();
  }

  [[nodiscard]] int get() const noexcept {
    return number_;
  }

  /// Whether closing succeeded; a disk may report its trouble only here.
  bool close() noexcept {
    const int number = std::exchange(number_, -1);
    return number == -1 || ::close(number) == 0;
  }

private:
  int number_;
};

std::string reason(int code) {
  return std::generic_category().message(code);
}

} // namespace

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return false;
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

error file_error(errc code, const std::filesystem::path& file, std::string what,
                 std::string rule) {
  return {.code = code,
          .message = std::move(what),
          .file = file.string(),
          .rule = std::move(rule)};
}

result<std::string> read_file(const std::filesystem::path& file,
                              std::size_t bytes_max) {
  // Not blocking: opening a pipe would else wait for somebody to write to it.
  descriptor in{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (in.get() == -1)
    return fail(
      file_error(errc::unreadable, file, "cannot be read: " + reason(errno)));
  struct stat status {};
  if (::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(file_error(errc::unreadable, file, "is not a regular file"));
  std::string text;
  // The size is a guess: the file may grow, and some report none.
  const auto guess = static_cast<std::size_t>(status.st_size);
  std::size_t used = 0;
  while (guess <= bytes_max && used <= bytes_max) {
    if (used == text.size())
      text.resize(std::min(bytes_max + 1, used + std::max(guess + 1, used)));
    const auto count = ::read(in.get(), text.data() + used, text.size() - used);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(
        file_error(errc::unreadable, file, "cannot be read: " + reason(errno)));
    if (count == 0) {
      text.resize(used);
      return text;
    }
    used += static_cast<std::size_t>(count);
  }
  auto what
    = file_error(errc::limit_reached, file,
                 "is larger than " + std::to_string(bytes_max) + " bytes");
  what.rule = "document_bytes_max";
  return fail(std::move(what));
}

result<void> write_file(const std::filesystem::path& file,
                        std::string_view text, synced how) {
  auto fresh = file;
  fresh += unfinished_ending;
  // O_TRUNC: one that a run left when it was killed is in nobody's way.
  descriptor out{
    ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (out.get() != -1 && write_all(out.get(), text)
      && (how == synced::no || ::fdatasync(out.get()) == 0) && out.close()
      && ::rename(fresh.c_str(), file.c_str()) == 0)
    return {};
  const int code = errno;
  ::unlink(fresh.c_str());
  return fail(
    file_error(errc::io_failed, file, "cannot be written: " + reason(code)));
}

} // namespace convene::host
