#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/replace_file.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace convene::host {

using namespace convene::protocol;

result<void> replace_file(const std::filesystem::path& file,
                          std::string_view text) {
  const auto refuse = [&file](const std::error_code& why) {
    return fail(file_error(errc::io_failed, file, "cannot be written", why));
  };
  std::error_code failed;
  const auto real = std::filesystem::canonical(file, failed);
  struct stat status {};
  if (failed)
    return refuse(failed);
  if (::stat(real.c_str(), &status) != 0)
    return refuse(last_error());
  auto fresh = real;
  fresh += unfinished_ending;
  // Nobody may read the new content who might not read the old one, so the
  // new file has the permissions before write_file fills it.
  const auto made
    = open_reserved(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (!made)
    return refuse(last_error());
  if (::fchmod(made.get(), status.st_mode & 07777) == 0)
    return write_file(real, text, synced::yes);
  const auto why = last_error();
  ::unlink(fresh.c_str());
  return refuse(why);
}

} // namespace convene::host
