#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

namespace convene::host {
namespace {

constexpr rlim_t reserve_max = 64;

bool get_limit(rlimit& into) {
  return ::getrlimit(RLIMIT_NOFILE, &into) == 0;
}

/// Held while the limit is another one for a moment.
std::mutex& limit_mutex() {
  static std::mutex one;
  return one;
}

} // namespace

std::size_t descriptor_limit() {
  const std::scoped_lock lock{limit_mutex()};
  rlimit now{};
  if (!get_limit(now) || now.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  return now.rlim_cur;
}

std::size_t allow_descriptors(std::size_t wanted) {
  {
    const std::scoped_lock lock{limit_mutex()};
    rlimit now{};
    if (get_limit(now)) {
      const auto reserve = std::min(reserve_max, now.rlim_max / 4);
      now.rlim_cur = std::min(std::max<rlim_t>(now.rlim_cur, wanted),
                              now.rlim_max - reserve);
      static_cast<void>(::setrlimit(RLIMIT_NOFILE, &now));
    }
  }
  return descriptor_limit();
}

descriptor open_reserved(const std::filesystem::path& file, int flags,
                         mode_t mode) {
  const auto once = [&] {
    int made = ::open(file.c_str(), flags, mode);
    while (made == -1 && errno == EINTR)
      made = ::open(file.c_str(), flags, mode);
    return descriptor{made};
  };
  auto made = once();
  if (made || errno != EMFILE)
    return made;
  const std::scoped_lock lock{limit_mutex()};
  rlimit now{};
  if (!get_limit(now))
    return made;
  auto more = now;
  more.rlim_cur = std::min(now.rlim_cur + reserve_max, now.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &more) != 0) {
    errno = EMFILE;
    return made;
  }
  made = once();
  const int why = errno;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &now));
  errno = why;
  return made;
}

} // namespace convene::host
