#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/server/service/folder_probe.hpp>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace convene::server {
namespace {

constexpr std::chrono::seconds answer_time{1};
constexpr std::size_t waiting_max = 256;
constexpr std::size_t probe_bytes = 4'096;

std::string cannot(const std::filesystem::path& folder,
                   const std::string& why) {
  return "nothing can be written to " + folder.string() + ": " + why;
}

std::string system_text(int number) {
  return std::generic_category().message(number);
}

} // namespace

std::string why_not_writable(const std::filesystem::path& folder) {
  struct statvfs on {};
  if (::statvfs(folder.c_str(), &on) != 0)
    return cannot(folder, system_text(errno));
  if ((on.f_flag & ST_RDONLY) != 0)
    return cannot(folder, "its file system is read-only");
  // Some file systems count nothing.
  if (on.f_blocks != 0
      && std::uintmax_t{on.f_bavail} * on.f_frsize < free_bytes_min)
    return cannot(folder, "its file system has less than 1 MiB left");
  const auto file = folder / ".writable";
  auto opened = host::open_reserved(
    file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!opened)
    return cannot(folder, system_text(errno));
  constexpr std::array<char, probe_bytes> bytes{};
  const auto written = ::write(opened.get(), bytes.data(), bytes.size());
  const int number = written == -1 ? errno : ENOSPC;
  opened.reset();
  ::unlink(file.c_str());
  return written == static_cast<ssize_t>(bytes.size())
           ? std::string{}
           : cannot(folder, system_text(number));
}

void folder_probe::ask(taker then) {
  std::string why;
  {
    auto& now = *state_;
    const std::lock_guard held{now.mutex};
    if (clock::now() >= now.until) {
      if (now.waiting.size() < waiting_max)
        now.waiting.push_back(std::move(then));
      if (!now.is_looking)
        now.is_looking = pool_.try_submit([state = state_] { state->look(); })
                         != 0;
      return;
    }
    why = now.why;
  }
  then(why);
}

void folder_probe::state::look() {
  const auto found = why_not_writable(folder);
  std::vector<taker> told;
  {
    const std::lock_guard held{mutex};
    why = found;
    until = clock::now() + answer_time;
    is_looking = false;
    told.swap(waiting);
  }
  for (const auto& each : told)
    each(found);
}

} // namespace convene::server
