#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

result<folder_lock> folder_lock::take(const std::filesystem::path& folder) {
  auto opened = open_reserved(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!opened)
    return fail(
      file_error(errc::io_failed, folder, "cannot be opened", last_error()));
  const int number = opened.get();
  folder_lock held;
  held.folder_ = std::make_shared<const descriptor>(std::move(opened));
  // A process that a killed run was just starting has the run's descriptors for
  // a moment, until it closes them.
  constexpr int tries_max = 50;
  constexpr std::chrono::milliseconds between{20};
  int locked = ::flock(number, LOCK_EX | LOCK_NB);
  for (int tries = 1; locked == -1 && (errno == EINTR || errno == EWOULDBLOCK)
                      && tries < tries_max;
       ++tries) {
    std::this_thread::sleep_for(between);
    locked = ::flock(number, LOCK_EX | LOCK_NB);
  }
  if (locked == -1 && (errno == EWOULDBLOCK || errno == EINTR))
    return fail(file_error(errc::usage, folder,
                           "another run is writing this folder; wait until it "
                           "has ended, or name another folder",
                           folder_locked));
  return held;
}

} // namespace convene::host
