#include <catch2/catch.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <convene/runtime/outside/processes/event_loop.hpp>
#include <convene/runtime/outside/processes/lines.hpp>
#include <convene/runtime/outside/processes/sandbox.hpp>
#include <runtime/outside/processes/marked.hpp>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace convene;
using namespace std::chrono_literals;

TEST_CASE("a stream is cut into the same lines however it arrives") {
  const std::string text = "one\n\ntwo\r\nthree is long\nfour";
  const std::vector<std::string> wanted{"one", "", "two", "three is ", "four"};
  for (std::size_t step = 1; step <= text.size(); ++step) {
    host::line_splitter lines{9};
    std::vector<std::string> got;
    const auto take = [&got](std::string line, bool is_cut) {
      CHECK(is_cut == line.starts_with("three"));
      got.push_back(std::move(line));
    };
    for (std::size_t at = 0; at < text.size(); at += step)
      lines.feed(std::string_view{text}.substr(at, step), take);
    lines.finish(take);
    CHECK(got == wanted);
  }
}

TEST_CASE("so many lines a second are let through, and the others counted") {
  host::line_rate rate{2};
  const host::line_rate::time start{1h};
  CHECK(rate.allows(start));
  CHECK(rate.allows(start + 1ms));
  CHECK_FALSE(rate.allows(start + 2ms));
  CHECK_FALSE(rate.allows(start + 999ms));
  CHECK(rate.allows(start + 1000ms));
  CHECK(rate.take_dropped() == 2);
  CHECK(rate.take_dropped() == 0);
}

TEST_CASE("a loop runs jobs in order, timers when they are due, and forgets") {
  host::event_loop loop;
  std::string said;
  loop.post([&] { said += 'a'; });
  loop.post([&] {
    loop.post([&] {
      said += 'c';
      // Not earlier: what is due by now would go first.
      loop.after(1h, [&] { said += 'x'; });
      loop.after(10ms, [&] {
        said += 'd';
        loop.quit();
      });
    });
    said += 'b';
  });
  const auto never = loop.after(0ms, [&] { said += 'x'; });
  loop.cancel(never);
  loop.run();
  CHECK(said == "abcd");
  loop.post([&] { said += 'y'; });
  CHECK(said == "abcd");
}

namespace {

host::sandbox a_sandbox() {
  return {.bwrap = "/usr/bin/bwrap", .setpriv = "/usr/bin/setpriv"};
}

/// Whether this machine has bubblewrap and lets it make namespaces; else that
/// is what has to be told.
bool can_confine(const host::sandbox& by, host::processes& all) {
  const auto how = host::check_sandbox(by, all);
  if (!how) {
    WARN(how.error().message);
    CHECK(how.error().rule == "sandbox_missing");
  }
  return how.has_value();
}

} // namespace

TEST_CASE("a confined program has its own /tmp, no network, and writes only in "
          "its folder") {
  host::processes all;
  const test::marked mine;
  const auto by = a_sandbox();
  if (!can_confine(by, all))
    return;
  const auto folder = "/var/tmp/convene-sandbox-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  REQUIRE(host::give_to_confined_user(folder));
  const auto secret = "/tmp/convene-sandbox-" + std::to_string(getpid());
  std::ofstream{secret} << "x";
  auto what = mine.shell("ls /tmp; touch /usr/x /etc/x /var/tmp/x 2>/dev/null "
                         "&& echo escaped; echo hello > made; pwd; "
                         "tail -n +3 /proc/net/dev | grep -vc lo:; echo $0");
  what.arguments.emplace_back("name");
  what.working_folder = folder;
  const auto how = test::run(all, host::confine(what, by).value());
  INFO(how.end.message);
  CHECK(how.output == folder + "\n0\nname\n");
  std::string made;
  std::ifstream{folder + "/made"} >> made;
  CHECK(made == "hello");
  const auto failed
    = test::run(all, host::confine(mine.shell("exit 3"), by).value());
  CHECK_THAT(failed.end.message, Catch::Contains("sh (under bwrap) exited with "
                                                 "code 3"));
  std::filesystem::remove_all(folder);
  std::filesystem::remove(secret);
  CHECK(mine.living() == 0);
}

TEST_CASE("a confined program is ended with its descendants") {
  const test::marked mine;
  const auto by = a_sandbox();
  std::promise<void> ready;
  {
    host::processes all;
    if (!can_confine(by, all))
      return;
    all.run_once(
      host::confine(mine.shell("trap '' TERM; setsid sleep 1000 & "
                               "echo ready >&2; sleep 1000"),
                    by)
        .value(),
      {},
      [&](std::string_view line) { // a shell may tell more when it ends
        if (line == "ready")
          ready.set_value();
      },
      [](const host::program_result&) {});
    ready.get_future().get();
  }
  CHECK(mine.living() == 0);
}

TEST_CASE("a confined program neither sees nor ends its supervisor") {
  host::processes all;
  const test::marked mine;
  const auto by = a_sandbox();
  if (!can_confine(by, all))
    return;
  const auto how = test::run(
    all, host::confine(mine.shell("setsid sleep 1000 & kill -KILL $PPID 1; "
                                  "cat /proc/[0-9]*/comm | grep -c convene; "
                                  "echo here"),
                       by)
           .value());
  CHECK(how.output == "0\nhere\n");
  CHECK(how.end.code.empty());
  CHECK(mine.living() == 0);
}

TEST_CASE("that programs cannot be confined is told with a way out") {
  host::processes all;
  for (const auto* bwrap : {"", "/bin/false", "/nowhere/bwrap"}) {
    const auto how = host::check_sandbox(
      {.bwrap = bwrap, .setpriv = "/usr/bin/setpriv"}, all);
    REQUIRE_FALSE(how);
    CHECK(how.error().rule == "sandbox_missing");
    CHECK(how.error().message.find("--sandbox") != std::string::npos);
  }
}
