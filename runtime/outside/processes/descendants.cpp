#include <convene/runtime/outside/processes/descendants.hpp>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>

namespace convene::host {
namespace {

/// Text in a fixed place, long enough for /proc/PID/task/TID/children.
class path_text {
public:
  void add(const char* text) noexcept {
    while (*text != '\0' && size_ + 1 < text_.size())
      text_[size_++] = *text++;
  }
  void add(pid_t number) noexcept {
    std::array<char, 12> digits{};
    std::size_t n = digits.size() - 1;
    do {
      digits[--n] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0 && n > 0);
    add(digits.data() + n);
  }
  [[nodiscard]] const char* c_str() const noexcept {
    return text_.data();
  }

private:
  std::array<char, 96> text_{};
  std::size_t size_ = 0;
};

/// Calls `f` with each number in a file of numbers with blanks between them.
template <class F>
void each_number_in(const char* file, F f) noexcept {
  const int in = open(file, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return;
  std::array<char, 4096> buffer; // NOLINT: filled by read
  pid_t number = 0;
  for (;;) {
    const auto got = read(in, buffer.data(), buffer.size());
    if (got <= 0)
      break;
    for (ssize_t i = 0; i < got; ++i) {
      const char c = buffer[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9')
        number = number * 10 + (c - '0');
      else if (number > 0) {
        f(number);
        number = 0;
      }
    }
  }
  if (number > 0)
    f(number);
  close(in);
}

struct folder_entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1]; // NOLINT: as getdents64 has it
};

pid_t number_of(const char* name) noexcept {
  pid_t number = 0;
  for (; *name >= '0' && *name <= '9'; ++name)
    number = number * 10 + (*name - '0');
  return *name == '\0' ? number : 0;
}

/// Calls `f` with each child of a process: those of all of its threads.
template <class F>
void each_child_of(pid_t who, F f) noexcept {
  path_text folder;
  folder.add("/proc/");
  folder.add(who);
  folder.add("/task");
  const int tasks = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks < 0)
    return;
  alignas(8) std::array<char, 2048> buffer; // NOLINT: filled by the system
  for (;;) {
    const auto got = syscall(SYS_getdents64, tasks, buffer.data(),
                             buffer.size());
    if (got <= 0)
      break;
    for (long at = 0; at < got;) {
      const auto* entry
        = reinterpret_cast<const folder_entry*>(buffer.data() + at);
      at += entry->size;
      const auto task = number_of(entry->name);
      if (task == 0)
        continue;
      auto children = folder;
      children.add("/");
      children.add(task);
      children.add("/children");
      each_number_in(children.c_str(), f);
    }
  }
  close(tasks);
}

/// The descendants in order of generations; static, for its size.
std::array<pid_t, 8192> found_descendants; // NOLINT: written before read

} // namespace

void end_descendants() noexcept {
  std::size_t count = 0;
  const auto note = [&count](pid_t child) noexcept {
    if (count < found_descendants.size())
      found_descendants[count++] = child;
  };
  each_child_of(getpid(), note);
  for (std::size_t i = 0; i < count; ++i)
    each_child_of(found_descendants[i], note);
  for (std::size_t i = 0; i < count; ++i) {
    kill(found_descendants[i], SIGTERM);
    kill(found_descendants[i], SIGCONT);
  }
}

void kill_children_of(pid_t supervisor) noexcept {
  // Nobody else can have these numbers: a child keeps its own until it has
  // been waited for.
  each_child_of(supervisor, [](pid_t child) noexcept {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
  });
}

} // namespace convene::host
