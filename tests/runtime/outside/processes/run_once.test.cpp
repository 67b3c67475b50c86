#include <catch2/catch.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <csignal>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

using namespace convene;
using protocol::action_status;
using test::marked;

TEST_CASE("a program gets its input and its output is collected") {
  host::processes all;
  const marked mine;
  const auto how = test::run(all, mine.run("/bin/cat", {"cat"}), "a\nb");
  CHECK(how.end.status == action_status::completed);
  CHECK(how.end.exit_code == 0);
  CHECK(how.end.code.empty());
  CHECK(how.output == "a\nb");
}

TEST_CASE("more input and output than a pipe holds passes through a program") {
  host::processes all;
  const marked mine;
  const std::string much(5 << 20, 'x');
  CHECK(test::run(all, mine.run("/bin/cat", {"cat"}), much).output == much);
}

TEST_CASE("a program that reads none of its input is not disturbed by it") {
  host::processes all;
  const marked mine;
  const auto how = test::run(all, mine.shell("exec <&-; echo done"),
                             std::string(5 << 20, 'x'));
  CHECK(how.end.status == action_status::completed);
  CHECK(how.output == "done\n");
}

TEST_CASE("a program's arguments are no shell's business") {
  host::processes all;
  const marked mine;
  const auto how = test::run(
    all, mine.run("/bin/echo", {"echo", "$HOME", "; ls", "`id`", "a  b"}));
  CHECK(how.output == "$HOME ; ls `id` a  b\n");
}

TEST_CASE("a program has the environment that it is given and nothing else") {
  host::processes all;
  const marked mine;
  auto what = mine.run("/usr/bin/env", {"env"});
  what.environment.emplace_back("A=b");
  CHECK(test::run(all, what).output
        == "PATH=/usr/local/bin:/usr/bin:/bin\n" + mine.variable() + "\nA=b\n");
}

TEST_CASE("a program has no file of ours open, and works in its folder") {
  host::processes all;
  const marked mine;
  const std::ifstream ours{"/dev/zero"};
  REQUIRE(ours);
  auto what = mine.shell("ls /proc/self/fd; pwd");
  what.working_folder = "/usr";
  // 3 is the folder that ls reads.
  CHECK(test::run(all, what).output == "0\n1\n2\n3\n/usr\n");
}

TEST_CASE("a program that fails tells its code and the end of its errors") {
  host::processes all;
  const marked mine;
  const auto how = test::run(all, mine.shell("echo no such thing >&2; exit 3"));
  CHECK(how.end.status == action_status::failed);
  CHECK(how.end.code == "exit_code");
  CHECK(how.end.exit_code == 3);
  CHECK(how.end.last_errors == "no such thing\n");
  CHECK(how.end.message
        == "/bin/sh exited with code 3; the end of its standard error: "
           "no such thing");
}

TEST_CASE("a program that dies by a signal tells which") {
  host::processes all;
  const marked mine;
  const auto how = test::run(all, mine.shell("kill -SEGV $$"));
  CHECK(how.end.code == "signal");
  CHECK(how.end.signal == SIGSEGV);
  CHECK(how.end.exit_code == -1);
  CHECK(how.end.message.find("SIGSEGV") != std::string::npos);
}

TEST_CASE("what cannot be executed is told with the system's reason") {
  host::processes all;
  const marked mine;
  for (const auto* path : {"/nowhere/at/all", "/etc/passwd", "/usr"}) {
    const auto how = test::run(all, mine.run(path, {"x"}));
    CHECK(how.end.status == action_status::failed);
    CHECK(how.end.code == "not_started");
    CHECK(how.end.message.find(path) != std::string::npos);
  }
  auto what = mine.shell("true");
  what.working_folder = "/nowhere";
  const auto how = test::run(all, what);
  CHECK(how.end.code == "not_started");
  CHECK(how.end.message.find("working folder /nowhere") != std::string::npos);
}

TEST_CASE("a program that hangs is ended when its time is up") {
  host::processes all;
  const marked mine;
  auto what = mine.shell("echo begun; sleep 1000");
  what.limits.grace_ms = 600'000;
  what.limits.time_ms = 100;
  auto how = test::run(all, what);
  while (how.output.empty()) { // it had not begun: more time
    what.limits.time_ms *= 2;
    how = test::run(all, what);
  }
  CHECK(how.end.status == action_status::timed_out);
  CHECK(how.end.code == "time_out");
  CHECK(how.end.signal == SIGTERM);
  CHECK(how.output == "begun\n");
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that floods its output is ended, and the beginning kept") {
  host::processes all;
  const marked mine;
  auto what = mine.run("/usr/bin/yes", {"yes"});
  what.limits.output_bytes_max = 1000;
  const auto how = test::run(all, what);
  CHECK(how.end.status == action_status::failed);
  CHECK(how.end.code == "output_bytes_max");
  CHECK(how.output.size() == 1000);
}

TEST_CASE("output of exactly the bound is no flood") {
  host::processes all;
  const marked mine;
  auto what = mine.run("/bin/cat", {"cat"});
  what.limits.output_bytes_max = 1000;
  const std::string text(1000, 'x');
  CHECK(test::run(all, what, text).output == text);
  CHECK(test::run(all, what, text + "x").end.code == "output_bytes_max");
}

TEST_CASE("a flood of errors reaches nobody as a flood, and is counted") {
  host::processes all;
  const marked mine;
  std::vector<std::string> told; // on the loop's thread
  std::promise<host::program_result> end;
  all.run_once(
    mine.python("import sys\n"
                "sys.stderr.write('x' * 10000 + '\\n')\n"
                "for i in range(100000): sys.stderr.write('line %d\\n' % i)\n"),
    {}, [&](std::string_view line) { told.emplace_back(line); },
    [&](host::program_result how) { end.set_value(std::move(how)); });
  const auto how = end.get_future().get();
  CHECK(how.end.status == action_status::completed);
  REQUIRE(told.size() > 2);
  CHECK(told.front() == std::string(4096, 'x') + " ... (cut)");
  CHECK(told.at(1) == "line 0");
  // Those that are told and those that are counted are all of them.
  std::size_t lines = 0;
  std::size_t counted = 0;
  for (const auto& each : told)
    if (each.ends_with(" lines of standard error were too many)"))
      counted += std::stoul(each.substr(1));
    else
      ++lines;
  CHECK(counted > 0);
  CHECK(lines + counted == 100'001);
  CHECK(how.end.last_errors.size() <= 2048);
  CHECK(how.end.last_errors.ends_with("line 99999\n"));
}

TEST_CASE("a program is ended when it is cancelled, at any time") {
  host::processes all;
  const marked mine;
  std::promise<host::program_result> end;
  const auto cancel = all.run_once(mine.shell("sleep 1000"), {}, {},
                                   [&](host::program_result how) {
                                     end.set_value(std::move(how));
                                   });
  cancel();
  cancel();
  const auto how = end.get_future().get();
  CHECK(how.end.status == action_status::cancelled);
  CHECK(how.end.code == "cancelled");
  cancel();
  CHECK(mine.living() == 0);
}

TEST_CASE("programs are ended when their owner goes") {
  const marked mine;
  std::vector<action_status> ends;
  {
    host::processes all;
    for (int i = 0; i < 10; ++i)
      all.run_once(mine.shell("sleep 1000"), {}, {},
                   [&](host::program_result how) {
                     ends.push_back(how.end.status);
                   });
  }
  CHECK(ends == std::vector(10, action_status::cancelled));
  CHECK(mine.living() == 0);
}

TEST_CASE("what is asked for after the end is dropped") {
  const marked mine;
  host::processes all;
  all.end();
  all.end();
  bool told = false;
  const auto cancel
    = all.run_once(mine.shell("sleep 1000"), {}, {},
                   [&](const host::program_result&) { told = true; });
  cancel();
  all.end();
  CHECK_FALSE(told);
  CHECK(mine.living() == 0);
}

TEST_CASE("more programs at once than allowed are refused by name") {
  const marked mine;
  std::promise<void> first;
  host::processes all{1};
  const auto cancel
    = all.run_once(mine.shell("sleep 1000"), {}, {},
                   [&](const host::program_result&) { first.set_value(); });
  const auto how = test::run(all, mine.shell("true"));
  CHECK(how.end.status == action_status::failed);
  CHECK(how.end.code == "programs_max");
  cancel();
  first.get_future().get();
  CHECK(test::run(all, mine.shell("true")).end.code.empty());
}

TEST_CASE("a program that burns its CPU time is ended by the system") {
  host::processes all;
  const marked mine;
  auto what = mine.shell("while :; do :; done");
  what.limits.cpu_seconds = 1;
  const auto how = test::run(all, what);
  CHECK(how.end.status == action_status::failed);
  CHECK(how.end.code == "cpu_seconds");
}

TEST_CASE("a program gets no more memory than its limit") {
  host::processes all;
  const marked mine;
  auto what = mine.python("x = bytearray(200 << 20)");
  CHECK(test::run(all, what).end.code.empty());
  what.limits.memory_bytes = 100 << 20;
  CHECK(test::run(all, what).end.code == "exit_code");
}
