// Starts programs of every unpleasant kind until it is killed; see ./run.

#include <convene/runtime/outside/processes/processes.hpp>
#include <unistd.h>

#include <array>
#include <iostream>
#include <string>
#include <vector>

using namespace convene;

namespace {

constexpr std::array scripts{
  "exec sleep 1000",
  "trap '' TERM HUP INT; while :; do sleep 100; done",
  "setsid sleep 1000 & (setsid sh -c 'sleep 1001 & sleep 1002' &); sleep 1000",
  "(trap '' TERM; setsid setsid sleep 1000 &) & exit 0",
  "yes >&2 & cat /dev/zero",
  "i=0; while [ $i -lt 200 ]; do setsid sh -c 'sleep 1000' & i=$((i+1)); "
  "sleep 0.005; done; wait",
  "exec python3 -c 'import os\nwhile True:\n if os.fork() > 0: os._exit(0)\n "
  "os.setsid()'",
  "exit 1",
  "kill -STOP $PPID; (setsid sh -c 'sleep 1000 & sleep 1001' &); sleep 1000",
  "while :; do kill -STOP $PPID; done & (setsid sleep 1000 &); exit 0",
};

host::program shell(const char* script, const std::string& mark) {
  host::program made{.path = "/bin/sh",
                     .arguments = {"sh", "-c", script},
                     .environment = {"PATH=/usr/bin:/bin", mark},
                     .working_folder = "/"};
  made.limits.grace_ms = 100;
  return made;
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: orphans_under_test NAME=VALUE\n";
    return 2;
  }
  const std::string mark = arguments[1];
  host::processes all;
  std::vector<std::shared_ptr<host::line_program>> staying;
  for (std::size_t i = 0; i < 3 * scripts.size(); ++i) {
    const auto* script = scripts[i % scripts.size()];
    if (i % 2 == 0)
      all.run_once(shell(script, mark), {}, {},
                   [](const host::program_result&) {});
    else
      staying.push_back(
        all.start(shell(script, mark), {.line = [](const std::string&) {},
                                        .ended = [](host::program_end) {}}));
    // A seventh of them is ended by us, about when we are killed.
    if (i % 7 == 6)
      staying.clear();
  }
  std::cout << "all are begun" << std::endl; // NOLINT: has to be out now
  for (;;)
    pause();
}
