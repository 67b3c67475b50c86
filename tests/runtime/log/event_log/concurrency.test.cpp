#include "files.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <atomic>
#include <thread>

using namespace convene::host;
using namespace convene::tests;

namespace {

constexpr int thread_count = 4;
constexpr int lines_each = 5000;

std::string line_of(int thread, int number) {
  return std::to_string(thread) + ' ' + std::to_string(number) + ' '
         + std::string(static_cast<std::size_t>(number % 97), 'x') + '\n';
}

void append_all(event_log_writer& writer, int thread,
                std::atomic<int>& failures) {
  for (int i = 0; i < lines_each; i += 2) {
    if (!writer.append(line_of(thread, i) + line_of(thread, i + 1)))
      ++failures;
    if (i % 512 == 0 && !writer.flush())
      ++failures;
    static_cast<void>(writer.congested());
  }
}

} // namespace

TEST_CASE("lines of several threads are all there, once, each in its order") {
  const auto options
    = GENERATE(log_options{}, log_options{.group_bytes = 4096},
               log_options{.group_bytes = 1024, .buffer_bytes = 2048});
  const scratch_folder folder;
  auto writer = event_log_writer::open(folder / "events.jsonl", options);
  REQUIRE(writer);
  std::atomic<int> failures{0};
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
      threads.emplace_back([&, t] { append_all(**writer, t, failures); });
    for (auto& each : threads)
      each.join();
  }
  CHECK(failures == 0);
  REQUIRE((*writer)->close());
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->summary.unacknowledged_bytes == 0);
  CHECK(contents->lines.size() == thread_count * lines_each);
  std::vector<int> next(thread_count, 0);
  for (const auto& line : contents->lines) {
    const auto thread = line.text.at(0) - '0';
    const auto number = next.at(static_cast<std::size_t>(thread))++;
    REQUIRE(line.text + '\n' == line_of(thread, number));
  }
}

TEST_CASE("callers that write themselves are each called once") {
  const auto options
    = GENERATE(log_options{}, log_options{.group_bytes = 64},
               log_options{.buffer_bytes = 1024},
               log_options{.durability = convene::protocol::durability::group});
  const scratch_folder folder;
  auto writer = event_log_writer::open(folder / "events.jsonl", options);
  REQUIRE(writer);
  constexpr int calls_each = 1000;
  std::atomic<int> failures{0};
  std::atomic<int> called{0};
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < calls_each; ++i) {
          const auto place = (*writer)->append(line_of(t, i), true);
          if (!place) {
            ++failures;
            continue;
          }
          (*writer)->write_and_call(*place,
                                    [&](convene::protocol::result<void> kept) {
                                      failures += kept ? 0 : 1;
                                      ++called;
                                    });
          // Others wait for the log's thread.
          if (i % 100 == 0 && !(*writer)->flush())
            ++failures;
        }
      });
    for (auto& each : threads)
      each.join();
  }
  REQUIRE((*writer)->close());
  CHECK(failures == 0);
  CHECK(called == thread_count * calls_each);
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.size() == thread_count * calls_each);
  CHECK(contents->summary.unacknowledged_bytes == 0);
}

TEST_CASE("closing lets waiting callers go") {
  const scratch_folder folder;
  auto writer = event_log_writer::open(
    folder / "events.jsonl", {.group_bytes = 512, .buffer_bytes = 512});
  REQUIRE(writer);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&] {
      const std::string line(199, 'x');
      while ((*writer)->append(line + '\n'))
        ++taken;
    });
  while (taken < 100)
    std::this_thread::yield();
  REQUIRE((*writer)->close());
  for (auto& each : threads)
    each.join();
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.size() == static_cast<std::size_t>(taken));
}
