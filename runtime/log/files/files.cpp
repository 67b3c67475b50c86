#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/read_blocks.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

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

error file_error(errc code, const std::filesystem::path& file, std::string what,
                 const std::error_code& why, std::string rule) {
  return file_error(code, file, std::move(what) + ": " + why.message(),
                    std::move(rule));
}

error in_file(error what, const std::filesystem::path& file) {
  what.file = file.string();
  return what;
}

std::error_code last_error() noexcept {
  return {errno, std::generic_category()};
}

bool create_private(const std::filesystem::path& folder,
                    std::error_code& failed) {
  namespace fs = std::filesystem;
  failed.clear();
  if (fs::is_directory(folder, failed))
    return false;
  const auto above = folder.parent_path();
  failed.clear();
  if (!above.empty() && above != folder)
    create_private(above, failed);
  if (failed || !folder.has_filename()) // a slash ended it
    return false;
  if (::mkdir(folder.c_str(), 0700) == 0)
    return true;
  failed = last_error();
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) // another one has made it
    failed.clear();
  return false;
}

result<void> make_folders(const std::filesystem::path& folder) {
  std::error_code failed;
  create_private(folder, failed);
  if (failed)
    return fail(
      file_error(errc::io_failed, folder, "cannot be created", failed));
  return {};
}

std::error_code read_blocks(int file, const block_visitor& take) {
  std::array<char, 1 << 16> block;
  for (;;) {
    const auto count = ::read(file, block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return last_error();
    if (count == 0 || !take({block.data(), static_cast<std::size_t>(count)}))
      return {};
  }
}

result<std::string> read_file(const std::filesystem::path& file,
                              std::size_t bytes_max) {
  // Not blocking: opening a pipe would else wait for somebody to write to it.
  const auto in = open_reserved(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const auto unreadable = [&file](const std::error_code& why) {
    return fail(file_error(errc::unreadable, file, "cannot be read", why));
  };
  if (!in)
    return unreadable(last_error());
  struct stat status {};
  if (::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(file_error(errc::unreadable, file, "is not a regular file"));
  // The size is a guess: the file may grow, and some report none.
  const auto guess = static_cast<std::size_t>(status.st_size);
  std::string text;
  if (guess <= bytes_max) {
    text.reserve(guess);
    const auto failed = read_blocks(in.get(), [&](std::string_view next) {
      text += next;
      return text.size() <= bytes_max;
    });
    if (failed)
      return unreadable(failed);
    if (text.size() <= bytes_max)
      return text;
  }
  return fail(
    file_error(errc::limit_reached, file,
               "is larger than " + std::to_string(bytes_max) + " bytes",
               "document_bytes_max"));
}

result<void> write_file(const std::filesystem::path& file,
                        std::string_view text, synced how,
                        const std::string& ending) {
  return write_file(
    file, [text](const auto& piece) { piece(text); }, how, ending);
}

result<void> write_file(const std::filesystem::path& file,
                        const text_in_pieces& content, synced how,
                        const std::string& ending) {
  auto fresh = file;
  fresh += ending;
  // O_TRUNC: one that a run left when it was killed is in nobody's way.
  auto out = open_reserved(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                           0666);
  std::error_code failed;
  if (!out)
    failed = last_error();
  else
    content([&](std::string_view piece) {
      if (!failed && !write_all(out.get(), piece))
        failed = last_error();
    });
  if (!failed && (how == synced::no || ::fdatasync(out.get()) == 0)
      && out.close() && ::rename(fresh.c_str(), file.c_str()) == 0)
    return {};
  if (!failed)
    failed = last_error();
  ::unlink(fresh.c_str());
  return fail(file_error(errc::io_failed, file, "cannot be written", failed));
}

} // namespace convene::host
