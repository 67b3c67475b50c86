// The whole tree of a program ends with it.

#include <catch2/catch.hpp>
#include <convene/runtime/outside/processes/signal_scope.hpp>
#include <runtime/outside/processes/marked.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <future>
#include <string>
#include <string_view>

using namespace convene;
using protocol::action_status;
using test::marked;

namespace {

/// Ends by time-out once it has said that it is ready; tells how.
host::program_result cancel_when_ready(const host::program& what) {
  host::processes all;
  std::promise<void> ready;
  std::promise<host::program_result> end;
  const auto cancel = all.run_once(
    what, {},
    [&](std::string_view line) { // a shell may tell more when it ends
      if (line == "ready")
        ready.set_value();
    },
    [&](host::program_result how) { end.set_value(std::move(how)); });
  ready.get_future().get();
  cancel();
  return end.get_future().get();
}

} // namespace

TEST_CASE("a program that ignores SIGTERM is ended by SIGKILL") {
  const marked mine;
  const auto how = cancel_when_ready(
    mine.shell("trap '' TERM; echo ready >&2; while :; do sleep 100; done"));
  CHECK(how.end.status == action_status::cancelled);
  CHECK(how.end.signal == SIGKILL);
  CHECK(mine.living() == 0);
}

TEST_CASE("a program has time to clean up after SIGTERM") {
  const marked mine;
  auto what = mine.shell("trap 'echo cleaned; exit 7' TERM; echo ready >&2; "
                         "while :; do sleep 0.01; done");
  what.limits.grace_ms = 60'000;
  const auto how = cancel_when_ready(what);
  CHECK(how.end.status == action_status::cancelled);
  CHECK(how.end.exit_code == 7);
  CHECK(how.output == "cleaned\n");
}

TEST_CASE("a program that is stopped is ended, too") {
  const marked mine;
  cancel_when_ready(mine.shell("echo ready >&2; kill -STOP $$"));
  CHECK(mine.living() == 0);
}

TEST_CASE("grandchildren in sessions of their own are ended with a program") {
  const marked mine;
  cancel_when_ready(
    mine.shell("trap '' TERM HUP; setsid sleep 1000 & (setsid sh -c 'sleep "
               "1001 & sleep 1002 & wait' &); echo ready >&2; sleep 1000"));
  CHECK(mine.living() == 0);
}

TEST_CASE("SIGTERM reaches grandchildren in sessions of their own") {
  const marked mine;
  auto what = mine.python(R"(
import os, signal, sys, time, threading
def clean(*_):
    os.write(1, b'cleaned\n')
    os._exit(0)
def fork_one(): # from another thread, which has a list of children of its own
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, clean)
        os.write(2, b'ready\n')
        while True: time.sleep(100)
    time.sleep(1000)
threading.Thread(target=fork_one, daemon=True).start()
time.sleep(1000)
)");
  what.limits.grace_ms = 60'000;
  CHECK(cancel_when_ready(what).output == "cleaned\n");
  CHECK(mine.living() == 0);
}

TEST_CASE("who a program leaves behind when it exits is ended") {
  host::processes all;
  const marked mine;
  const auto how = test::run(
    all, mine.shell("setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep "
                    "1000; sleep 1000' &); echo done"));
  CHECK(how.end.status == action_status::completed);
  CHECK(how.output == "done\n");
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that forks continuously, always in a new session, is "
          "caught") {
  const marked mine;
  cancel_when_ready(mine.python(R"(
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(2, b'ready\n')
while True:
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
)"));
  CHECK(mine.living() == 0);
}

TEST_CASE("a program whose processes multiply is caught") {
  const marked mine;
  cancel_when_ready(mine.python(R"(
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(2, b'ready\n')
for i in range(7):
    if os.fork() == 0:
        os.setsid()
while True: time.sleep(100)
)"));
  CHECK(mine.living() == 0);
}

namespace {

/// Does something to the supervisor of a program once it runs; tells how the
/// program ended.
host::program_result with_supervisor(host::program what,
                                     const std::function<void(pid_t)>& act) {
  host::processes all;
  std::promise<pid_t> told;
  std::promise<host::program_result> end;
  what.environment.emplace_back("LC_ALL=C");
  all.run_once(
    std::move(what), {},
    [&](std::string_view line) { // a shell may tell more when it ends
      if (line.starts_with("supervisor "))
        told.set_value(std::stoi(std::string{line.substr(11)}));
    },
    [&](host::program_result how) { end.set_value(std::move(how)); });
  act(told.get_future().get());
  return end.get_future().get();
}

} // namespace

TEST_CASE("a program whose supervisor is killed is told as lost") {
  const marked mine;
  const auto how
    = with_supervisor(mine.shell("echo supervisor $PPID >&2; exec sleep 1000"),
                      [](pid_t supervisor) { kill(supervisor, SIGKILL); });
  CHECK(how.end.status == action_status::failed);
  CHECK(how.end.code == "supervisor_lost");
  mine.wait_until_gone();
}

TEST_CASE("a program whose supervisor is stopped is ended at its deadline with "
          "its descendants") {
  const marked mine;
  auto what = mine.shell("trap '' TERM; setsid sleep 1000 & (setsid sh -c "
                         "'sleep 1001 & sleep 1002 & wait' &); sleep 0.1; echo "
                         "supervisor $PPID >&2; sleep 1000");
  what.limits.time_ms = 500;
  const auto how = with_supervisor(what, [](pid_t supervisor) {
    kill(supervisor, SIGSTOP);
  });
  CHECK(how.end.code == "time_out");
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that ends while its supervisor is stopped leaves nothing "
          "behind") {
  const marked mine;
  auto what = mine.shell("(setsid sleep 1000 &); echo supervisor $PPID >&2; "
                         "sleep 0.2");
  what.limits.time_ms = 500;
  const auto how = with_supervisor(what, [](pid_t supervisor) {
    kill(supervisor, SIGSTOP);
  });
  CHECK(how.end.code == "time_out");
  CHECK(mine.living() == 0);
}

TEST_CASE("a program cannot delay its end by signals to its supervisor and "
          "convene") {
  host::processes all;
  const marked mine;
  // Those who go on are in sessions of their own, and of no parent.
  auto what = mine.python(R"(
import os, signal, time
supervisor = os.getppid()
def send_all():
    for whom in supervisor, -supervisor:
        for what in signal.SIGSTOP, signal.SIGTSTP, signal.SIGTERM:
            try: os.kill(whom, what)
            except OSError: pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for i in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() > 0: os._exit(0)
        while True: send_all()
while True: send_all()
)");
  what.limits.time_ms = 300;
  CHECK(test::run(all, what).end.code == "time_out");
  CHECK(mine.living() == 0);
}

TEST_CASE("a program can signal only its own processes where the kernel can "
          "see to it") {
  host::processes all;
  const marked mine;
  // In a process of its own, since it cannot be taken back.
  const auto probe = fork();
  if (probe == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    _exit(host::signal_own_processes_only() ? 0 : 1);
  }
  int status = 0;
  waitpid(probe, &status, 0);
  const bool has_scopes = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!has_scopes)
    WARN("this kernel has no Landlock scopes (Linux 6.12)");
  const auto how = test::run(all, mine.python(R"(
import os, signal, sys
def may(whom):
    try: os.kill(whom, 0); return True
    except PermissionError: return False
child = os.fork()
if child == 0:
    while True: signal.pause()
print(may(child), may(os.getppid()), may()" + std::to_string(getpid())
                                              + R"())
os.kill(child, signal.SIGKILL)
)"));
  CHECK(how.output == (has_scopes ? "True False False\n" : "True True True\n"));
}

TEST_CASE("a program cannot gain privileges") {
  host::processes all;
  const marked mine;
  CHECK(test::run(all, mine.run("/bin/grep",
                                {"grep", "NoNewPrivs", "/proc/self/status"}))
          .output
        == "NoNewPrivs:\t1\n");
}
