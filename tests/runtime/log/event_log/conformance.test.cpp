#include "files.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/log_watch.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <map>
#include <random>
#include <thread>

// What a reader may rely on, with a real writer at work.

using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

constexpr int writers = 3;
constexpr int inputs_each = 1500;
constexpr std::uint64_t sessions = 9; // each is one writer's

/// Appends what its sessions do: inputs of one to three lines, numbered
/// through in each session.
void write_sessions(event_log_writer& log, int thread, unsigned seed) {
  std::minstd_rand random{seed};
  std::map<std::uint64_t, int> next;
  for (int i = 0; i < inputs_each; ++i) {
    const auto number = random() % (sessions / writers) * writers
                        + static_cast<std::uint64_t>(thread);
    std::string lines;
    for (auto count = 1 + random() % 3; count > 0; --count)
      lines += line_of_session(number, std::to_string(next[number]++) + ' '
                                         + std::to_string(count))
               + '\n';
    static_cast<void>(log.append(lines));
    if (i % 400 == 0)
      static_cast<void>(log.flush());
  }
}

/// Checks events as a reader shows them: in each session numbered without a
/// gap, and the lines of an input neighbours.
class order_check {
public:
  void see(std::string_view line) {
    const auto id = session_of(line);
    REQUIRE(id);
    const auto at = line.find("\"what\":\"") + 8;
    const auto number = std::stoi(std::string{line.substr(at)});
    const auto left = line[line.find(' ', at) + 1] - '0';
    auto& next = next_[*id];
    CHECK(number == next);
    next = number + 1;
    if (open_ > 0) {
      CHECK(*id == last_);
      CHECK(left == open_);
    }
    open_ = left - 1;
    last_ = *id;
    ++seen_;
  }

  /// Whether the last input's lines were all there.
  [[nodiscard]] bool at_border() const {
    return open_ == 0;
  }
  [[nodiscard]] int seen() const {
    return seen_;
  }

private:
  std::map<convene::protocol::uuid, int> next_;
  convene::protocol::uuid last_;
  int open_ = 0; // lines of the last input still to come
  int seen_ = 0;
};

std::unique_ptr<event_log_writer> open_segments(const fs::path& folder,
                                                std::uint64_t segment_bytes) {
  fs::create_directories(folder / "log");
  auto log = event_log_writer::open(folder / "log",
                                    {.group_bytes = 8192,
                                     .buffer_bytes = 1 << 20,
                                     .segment_bytes = segment_bytes});
  if (!log)
    FAIL(to_string(log.error()));
  return *std::move(log);
}

} // namespace

TEST_CASE("sessions of several writers are ordered, gap-free and contiguous") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  const scratch_folder folder;
  const auto log = open_segments(folder.path(), 200'000);
  // The first one reads while they write, across segments, until they are done.
  log_watch watch{folder.path()};
  std::vector<std::string> followed;
  std::string problem;
  std::thread follower{[&] {
    auto reader = log_reader::open(folder.path());
    bool more = true;
    while (reader && problem.empty()) {
      const auto event = reader->next();
      if (!event)
        problem = to_string(event.error());
      else if (*event)
        followed.emplace_back((*event)->text);
      else if (!more) // stopped before the last look
        break;
      else
        more = watch.wait();
    }
  }};
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < writers; ++t)
      threads.emplace_back(
        [&, t] { write_sessions(*log, t, seed + static_cast<unsigned>(t)); });
    for (auto& each : threads)
      each.join();
  }
  REQUIRE(log->close());
  watch.stop();
  follower.join();
  CHECK(problem.empty());

  order_check order;
  for (const auto& line : followed)
    order.see(line);
  CHECK(order.at_border());

  // Whoever comes later reads the same, from the start and from any cursor.
  auto reader = log_reader::open(folder.path());
  REQUIRE(reader);
  CHECK(reader->segments().size() > 2);
  std::vector<log_cursor> cursors;
  std::size_t count = 0;
  for (auto event = reader->next(); event && *event; event = reader->next()) {
    REQUIRE(count < followed.size());
    CHECK((*event)->text == followed[count]);
    ++count;
    cursors.push_back(reader->cursor());
  }
  CHECK(count == followed.size());
  std::minstd_rand random{seed};
  for (int i = 0; i < 200; ++i) {
    const auto from = random() % cursors.size();
    auto later = log_reader::open(folder.path(), cursors[from]);
    REQUIRE(later);
    for (auto at = from + 1; at < std::min(from + 20, count); ++at) {
      const auto event = later->next();
      REQUIRE((event && *event));
      CHECK((*event)->text == followed[at]);
    }
  }

  // And each session by its index.
  for (int again = 0; again < 2; ++again) {
    std::uint64_t total = 0;
    for (std::uint64_t number = 0; number < sessions; ++number) {
      order_check alone;
      const auto done
        = visit_session(folder.path(), session_number(number),
                        [&](const log_place&, std::string_view text) {
                          alone.see(text);
                          return true;
                        });
      REQUIRE(done);
      total += done->lines;
    }
    CHECK(total == followed.size());
  }
}

TEST_CASE("a reader that comes while a log is written sees whole groups only") {
  const scratch_folder folder;
  const auto log = open_segments(folder.path(), 100'000);
  std::thread writer{[&] { write_sessions(*log, 0, 5); }};
  int rounds = 0;
  do {
    order_check order;
    auto reader = log_reader::open(folder.path());
    REQUIRE(reader);
    auto event = reader->next();
    for (; event && *event; event = reader->next())
      order.see((*event)->text);
    REQUIRE(event);
    CHECK(order.at_border());
    ++rounds;
  } while (rounds < 20);
  writer.join();
  REQUIRE(log->close());
}

TEST_CASE("whoever waits for a log is woken by what is written") {
  const scratch_folder folder;
  const auto log = open_segments(folder.path(), 1000);
  log_watch watch{folder.path()};
  const auto line = line_of_session(1, "x") + '\n';
  for (int i = 0; i < 10; ++i) { // over segments
    REQUIRE(log->append(line));
    REQUIRE(log->flush());
    CHECK(watch.wait(std::chrono::hours{1}));
  }
}

TEST_CASE("waiting for a log ends when it is stopped, and never starts again") {
  const scratch_folder folder;
  log_watch watch{folder / "events.jsonl"};
  std::thread other{[&] { watch.stop(); }};
  while (watch.wait(std::chrono::hours{1}))
    continue;
  other.join();
  CHECK(watch.stopped());
  CHECK_FALSE(watch.wait(std::chrono::hours{1}));
}
