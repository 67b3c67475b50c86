#include <convene/integrations/git/apart.hpp>
#include <convene/integrations/git/git_library.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr std::string_view good = "good";
constexpr std::string_view bad = "bad";

/// Texts without zero bytes, with one behind each.
void pack(std::string& to, std::string_view text) {
  to.append(text.substr(0, text.find('\0'))) += '\0';
}

std::string packed(const result<packed_texts>& what) {
  std::string made;
  if (!what) {
    for (const auto& text :
         {std::string{bad}, std::to_string(static_cast<int>(what.error().code)),
          what.error().message, what.error().rule})
      pack(made, text);
    return made;
  }
  pack(made, good);
  for (const auto& text : *what)
    pack(made, text);
  return made;
}

std::string next(std::string_view& from) {
  const auto end = std::min(from.find('\0'), from.size());
  std::string text{from.substr(0, end)};
  from.remove_prefix(std::min(end + 1, from.size()));
  return text;
}

/// Nothing: it is not whole.
std::optional<result<packed_texts>> unpacked(std::string_view from,
                                             const fs::path& folder) {
  const auto verdict = next(from);
  if (verdict == bad) {
    const auto code = next(from);
    auto message = next(from);
    const bool limit = code
                       == std::to_string(static_cast<int>(errc::limit_reached));
    return fail(file_error(limit ? errc::limit_reached : errc::unreadable,
                           folder, std::move(message), next(from)));
  }
  if (verdict != good)
    return std::nullopt;
  packed_texts made;
  while (!from.empty())
    made.push_back(next(from));
  return made;
}

void stay(int) {
  // interrupts what waits
}

/// Opening a pipe waits for its writer, and libgit2 opens whatever has the name
/// of one of its files; a signal now and then interrupts that, and nothing else
/// that it does.
void interrupt_waits() {
  struct sigaction how {};
  how.sa_handler = stay; // without SA_RESTART
  ::sigaction(SIGALRM, &how, nullptr);
  constexpr timeval often{.tv_sec = 0, .tv_usec = 100'000};
  const itimerval timer{.it_interval = often, .it_value = often};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Of the data that it has now, and more.
void limit_memory() {
  std::ifstream from{"/proc/self/statm"};
  rlim_t pages = 0;
  constexpr int data_member = 6;
  for (int i = 0; i < data_member; ++i)
    from >> pages;
  if (!from)
    return;
  const auto most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE))
                    + git_memory_max;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void
work_there(int out, pid_t parent,
           const std::function<result<packed_texts>()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  if (::getppid() != parent)
    ::_exit(1);
  limit_memory();
  interrupt_waits();
  const auto text = packed(work());
  ::_exit(write_all(out, text) ? 0 : 1);
}

/// All that is written until the end; false: not within the time.
bool read_until(int in, clock::time_point last, std::string& to) {
  std::array<char, 1 << 16> block;
  for (;;) {
    const auto left
      = std::chrono::ceil<std::chrono::milliseconds>(last - clock::now());
    pollfd ready{in, POLLIN, 0};
    if (left.count() <= 0)
      return false;
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0)
      continue;
    const auto count = ::read(in, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR))
      return true;
    if (count > 0)
      to.append(block.data(), static_cast<std::size_t>(count));
  }
}

} // namespace

result<packed_texts> apart(const fs::path& folder,
                           std::chrono::milliseconds longest,
                           const std::function<result<packed_texts>()>& work) {
  if (const auto& loaded = git::load_git(); !loaded)
    return fail(loaded.error());
  const auto fault = [&folder] {
    return fail(
      file_error(errc::internal, folder, "cannot be compared", last_error()));
  };
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return fault();
  const descriptor in{pipe[0]};
  descriptor out{pipe[1]};
  const auto self = ::getpid();
  const auto child = ::fork();
  if (child == -1)
    return fault();
  if (child == 0)
    work_there(out.get(), self, work);
  out.reset();
  std::string told;
  const bool in_time = read_until(in.get(), clock::now() + longest, told);
  if (!in_time)
    ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) == -1 && errno == EINTR)
    continue;
  if (!in_time)
    return fail(file_error(errc::limit_reached, folder,
                           "its repository was not compared within "
                             + std::to_string(longest.count())
                             + " ms; git fsck says whether it is damaged",
                           "git_time_max"));
  if (status == 0)
    if (auto made = unpacked(told, folder))
      return *std::move(made);
  return fail(file_error(errc::unreadable, folder,
                         "its repository made libgit2 fail; git fsck says "
                         "whether it is damaged",
                         "git_failed"));
}

} // namespace convene::host
