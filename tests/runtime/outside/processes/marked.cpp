#include <runtime/outside/processes/marked.hpp>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>
#include <utility>

namespace convene::test {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string a_new_mark() {
  static std::atomic<int> count = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return "CONVENE_TEST_MARK=" + std::to_string(getpid()) + '-'
         + std::to_string(++count) + '-' + std::to_string(now);
}

} // namespace

marked::marked() : variable_{a_new_mark()} {
  // nop
}

host::program marked::run(std::string path,
                          std::vector<std::string> arguments) const {
  host::program made;
  made.path = std::move(path);
  made.arguments = std::move(arguments);
  made.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", variable_};
  made.working_folder = "/tmp";
  made.limits.grace_ms = 100;
  return made;
}

host::program marked::shell(const std::string& script) const {
  return run("/bin/sh", {"sh", "-c", script});
}

host::program marked::python(const std::string& script) const {
  return run("/usr/bin/env", {"env", "python3", "-c", script});
}

std::size_t marked::living() const {
  std::size_t count = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", failed})
    if (entry.path().filename().string().find_first_not_of("0123456789")
        == std::string::npos)
      if (content(entry.path() / "environ").find(variable_)
          != std::string::npos)
        ++count;
  return count;
}

void marked::wait_until_gone() const {
  while (living() > 0)
    std::this_thread::yield();
}

host::program_result run(host::processes& on, host::program what,
                         std::string input) {
  std::promise<host::program_result> told;
  on.run_once(std::move(what), std::move(input), {},
              [&told](host::program_result how) {
                told.set_value(std::move(how));
              });
  return told.get_future().get();
}

} // namespace convene::test
