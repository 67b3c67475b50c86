#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/line_worker.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <future>
#include <memory>
#include <string>
#include <vector>

using namespace convene;
using protocol::action_status;

namespace {

constexpr std::int64_t long_ms = 600'000;

struct asked_worker {
  explicit asked_worker(const std::string& script)
    : worker{std::make_shared<host::line_worker>(
      mine.shell(script), host::when_error_line{}, all)} {
    // nop
  }
  asked_worker(const asked_worker&) = delete;
  asked_worker& operator=(const asked_worker&) = delete;
  ~asked_worker() {
    worker.reset();
    all->end();
  }

  std::future<host::program_result> ask(std::string line,
                                        std::int64_t timeout_ms = long_ms) {
    auto told = std::make_shared<std::promise<host::program_result>>();
    cancel = worker->ask(std::move(line), timeout_ms,
                         [told](host::program_result how) {
                           told->set_value(std::move(how));
                         });
    return told->get_future();
  }

  test::marked mine;
  std::shared_ptr<host::processes> all = std::make_shared<host::processes>();
  std::shared_ptr<host::line_worker> worker;
  std::function<void()> cancel; ///< the last question
};

} // namespace

TEST_CASE(
  "the time of a question that was answered does not count for others") {
  for (std::int64_t first_s = 1;; first_s *= 2) {
    asked_worker with{"read first; echo one; read second; sleep "
                      + std::to_string(first_s) + "; echo two"};
    const auto one = with.ask("a", first_s * 900).get();
    if (one.end.code == "time_out") // it was slow to begin: more time
      continue;
    CHECK(one.output == "one");
    // The first one's time is over while the second one is open.
    CHECK(with.ask("b").get().output == "two");
    return;
  }
}

TEST_CASE("a question with less time than the one before has less time") {
  asked_worker with{"read first; echo one; read second; sleep 1000"};
  CHECK(with.ask("a").get().output == "one");
  const auto second = with.ask("b", 50).get();
  CHECK(second.end.status == action_status::timed_out);
  CHECK(second.end.code == "time_out");
}

TEST_CASE("questions that wait are asked in order, each with all of its time") {
  asked_worker with{
    "while read line; do case $line in hang) sleep 1000;; esac; "
    "echo \"$line\"; done"};
  std::vector<std::future<host::program_result>> told;
  told.push_back(with.ask("a", 60'000));
  told.push_back(with.ask("hang", 50));
  told.push_back(with.ask("b", 60'000));
  told.push_back(with.ask("c"));
  CHECK(told[0].get().output == "a");
  CHECK(told[1].get().end.code == "time_out");
  CHECK(told[2].get().output == "b");
  CHECK(told[3].get().output == "c");
}

TEST_CASE("a question that is cancelled is not answered, and the next one is") {
  asked_worker with{
    "while read line; do case $line in hang) sleep 1000;; esac; "
    "echo \"$line\"; done"};
  auto hangs = with.ask("hang");
  const auto first = with.cancel;
  auto waits = with.ask("b");
  const auto second = with.cancel;
  auto next = with.ask("c");
  second();
  first();
  CHECK(next.get().output == "c");
  with.worker.reset();
  with.all->end();
  for (auto* each : {&hangs, &waits})
    CHECK_THROWS_AS(each->get(), std::future_error); // nobody was told
}

TEST_CASE("one question too many is refused by name, and the others stay") {
  asked_worker with{"read go; while read line; do echo \"$line\"; done"};
  std::vector<std::future<host::program_result>> told;
  // One is open: it is not answered, as its line is taken for a start.
  for (std::size_t i = 0; i <= host::line_worker::waiting_max; ++i)
    told.push_back(with.ask("x"));
  CHECK(with.ask("y").get().end.code == "queue_full");
  for (const auto& each : told)
    CHECK(each.wait_for(std::chrono::seconds{0})
          == std::future_status::timeout);
}

TEST_CASE("a question that no pipe would take is refused by name") {
  asked_worker with{"while read line; do echo \"$line\"; done"};
  const std::string large(host::line_program::waiting_bytes_max, 'x');
  CHECK(with.ask(large).get().end.code == "input_bytes_max");
  CHECK(with.ask("small").get().output == "small");
}
