#include <catch2/catch.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <array>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace convene;
using protocol::action_status;
using test::marked;

namespace {

/// What a program has told, waited for.
class heard {
public:
  host::line_events events() {
    return {.line = [this](std::string line) { note(lines_, std::move(line)); },
            .ended
            = [this](host::program_end how) { note(ends_, std::move(how)); }};
  }

  std::string line() {
    return next(lines_);
  }
  host::program_end end() {
    return next(ends_);
  }

private:
  template <class T>
  void note(std::deque<T>& into, T what) {
    const std::lock_guard held{mutex_};
    into.push_back(std::move(what));
    wake_.notify_one();
  }

  template <class T>
  T next(std::deque<T>& from) {
    std::unique_lock held{mutex_};
    wake_.wait(held, [&from] { return !from.empty(); });
    auto first = std::move(from.front());
    from.pop_front();
    return first;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> lines_;
  std::deque<host::program_end> ends_;
};

} // namespace

TEST_CASE("a program that stays answers line by line") {
  heard what;
  const marked mine;
  host::processes all;
  const auto cat = all.start(mine.run("/bin/cat", {"cat"}), what.events());
  for (int i = 0; i < 100; ++i) {
    REQUIRE(cat->send("line " + std::to_string(i)));
    CHECK(what.line() == "line " + std::to_string(i));
  }
  CHECK_FALSE(cat->send("two\nlines"));
}

TEST_CASE(
  "lines of several threads that no pipe holds arrive whole, in order") {
  heard what;
  const marked mine;
  host::processes all;
  const auto cat = all.start(mine.run("/bin/cat", {"cat"}), what.events());
  constexpr int threads = 4;
  constexpr int lines = 50;
  std::vector<std::thread> senders;
  for (int t = 0; t < threads; ++t)
    senders.emplace_back([&cat, t] {
      for (int i = 0; i < lines; ++i)
        if (!cat->send(std::to_string(t) + ' ' + std::to_string(i) + ' '
                       + std::string(static_cast<std::size_t>(i) * 1000, 'x')))
          return;
    });
  std::array<int, threads> next{};
  for (int n = 0; n < threads * lines; ++n) {
    std::istringstream line{what.line()};
    std::size_t thread = threads;
    int i = -1;
    std::string rest;
    line >> thread >> i >> rest;
    REQUIRE(thread < threads);
    CHECK(i == next[thread]++);
    CHECK(rest == std::string(static_cast<std::size_t>(i) * 1000, 'x'));
  }
  for (auto& each : senders)
    each.join();
}

TEST_CASE("writing to a program that reads no more is no signal to us") {
  heard what;
  const marked mine;
  host::processes all;
  const auto program = all.start(mine.shell("exec <&-; echo x; sleep 1000"),
                                 what.events());
  CHECK(what.line() == "x");
  sigset_t pending;
  for (int i = 0; i < 3; ++i) {
    CHECK(program->send("to nobody"));
    sigpending(&pending);
    CHECK_FALSE(sigismember(&pending, SIGPIPE));
  }
  program->stop();
  CHECK(what.end().status == action_status::cancelled);
}

TEST_CASE("a program that stays ends by itself when its input is closed") {
  heard what;
  const marked mine;
  host::processes all;
  const auto cat = all.start(mine.run("/bin/cat", {"cat"}), what.events());
  REQUIRE(cat->send("x"));
  CHECK(what.line() == "x");
  cat->stop(600'000);
  CHECK(what.end().status == action_status::completed);
}

TEST_CASE("a program that ignores the end of its input is ended by signals") {
  heard what;
  const marked mine;
  host::processes all;
  const auto program
    = all.start(mine.shell("trap '' TERM; echo x; while :; do sleep 100; done"),
                what.events());
  CHECK(what.line() == "x");
  program->stop(1);
  const auto how = what.end();
  CHECK(how.status == action_status::cancelled);
  CHECK(how.signal == SIGKILL);
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that stays is ended when its handle goes") {
  heard what;
  const marked mine;
  host::processes all;
  auto program = all.start(mine.shell("echo x; sleep 1000"), what.events());
  CHECK(what.line() == "x");
  program.reset();
  CHECK(what.end().status == action_status::cancelled);
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that dies says so, and takes no more lines") {
  heard what;
  const marked mine;
  host::processes all;
  const auto program = all.start(mine.shell("exit 5"), what.events());
  CHECK(what.end().exit_code == 5);
  CHECK(program->send("to nobody"));
  program->stop();
}

TEST_CASE("a line that is too long ends the program by name") {
  heard what;
  const marked mine;
  host::processes all;
  auto zeros = mine.shell("echo short; cat /dev/zero");
  zeros.limits.output_bytes_max = 1000;
  const auto program = all.start(zeros, what.events());
  CHECK(what.line() == "short");
  const auto how = what.end();
  CHECK(how.status == action_status::failed);
  CHECK(how.code == "output_bytes_max");
}

TEST_CASE("half a line is no line") {
  heard what;
  const marked mine;
  host::processes all;
  const auto program = all.start(mine.shell("printf 'a\\r\\nhalf'"),
                                 what.events());
  CHECK(what.line() == "a");
  CHECK(what.end().status == action_status::completed);
}

TEST_CASE("a program that closes its pipes and stays is still ended") {
  heard what;
  const marked mine;
  host::processes all;
  auto program = all.start(
    mine.shell("echo x; exec <&- >&- 2>&-; while :; do sleep 100; done"),
    what.events());
  CHECK(what.line() == "x");
  CHECK(program->send("x"));
  program->stop();
  CHECK(what.end().status == action_status::cancelled);
  CHECK(mine.living() == 0);
}

TEST_CASE("a program that reads nothing cannot fill our memory") {
  heard what;
  const marked mine;
  host::processes all;
  const auto program = all.start(mine.shell("exec sleep 1000"), what.events());
  const std::string much(8 << 20, 'x');
  for (int i = 0; i < 16; ++i)
    if (!program->send(much))
      break;
  std::optional<host::program_end> how;
  while (!how) {
    if (!program->send(much))
      continue; // until the loop has taken some
    how = what.end();
  }
  CHECK(how->code == "input_bytes_max");
}
