// What reading a log costs: all of it against simdjson's own parse of the same
// lines, one session by index against all of it, and what a reader that follows
// costs the writer. docs/performance.md has the figures.
//
//   log_read FOLDER [MEGABYTES] [ROUNDS]

#include "baseline/figures.hpp"
#include "baseline/parse_lines.hpp"

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/log_watch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace convene;
using bench::median;
using bench::seconds;
namespace fs = std::filesystem;

// As turns are written; the ids are put in.
constexpr std::string_view dispatched
  = R"({"event_id":"7373ccab-5c94-4b70-becd-cdfaa6919f6d","event_type":"MAPTurnDispatched","event_family":"RuntimeExecutionEvent","session_id":"9a1e40b4-5815-4a99-99e2-d15364c7a500","timestamp":"2026-11-21T17:53:31.378Z","initiator_role":"1509bb0a-9bf1-4331-8a11-8783593942a4","target_roles":["5d32fe61-985f-44e7-aa09-5ee82bb29976"],"payload":{"participant_id":"tester","role_id":"5d32fe61-985f-44e7-aa09-5ee82bb29976","turn_number":1,"token_id":"bba9c2a3-701e-4c8b-954a-19b707b21404","task":"Write a test that fails: Retry-After: 120 means 120 seconds","expires_at":"2026-11-21T17:54:01.378Z","step_id":"68b4aef7-3eaa-4e17-9d8a-4eace693ae2d","attempt":1}})"
    "\n";
constexpr std::string_view completed
  = R"({"event_id":"001670fa-e073-4d70-a088-1cdc0963fbf1","event_type":"MAPTurnCompleted","event_family":"RuntimeExecutionEvent","session_id":"9a1e40b4-5815-4a99-99e2-d15364c7a500","timestamp":"2026-11-21T17:53:31.388Z","initiator_role":"5d32fe61-985f-44e7-aa09-5ee82bb29976","payload":{"participant_id":"tester","role_id":"5d32fe61-985f-44e7-aa09-5ee82bb29976","turn_number":1,"token_id":"bba9c2a3-701e-4c8b-954a-19b707b21404","status":"completed","duration_ms":10,"output_summary":"echo: Write a test that fails: Retry-After: 120 means 120 seconds","result":{"status":"completed"},"reply":{"content":"echo: Write a test that fails: Retry-After: 120 means 120 seconds"}}})"
    "\n";
constexpr std::uint64_t sessions_at_a_time = 1000;
constexpr std::uint64_t turns_each = 20;

protocol::uuid session_number(std::uint64_t number) {
  return protocol::derive_uuid({1, 2}, 3, number);
}

[[noreturn]] void give_up(const protocol::error& why) {
  std::fprintf(stderr, "log_read: %s\n", to_string(why).c_str());
  std::exit(1);
}

template <class T>
T must(protocol::result<T> got) {
  if (!got)
    give_up(got.error());
  return *std::move(got);
}

std::string line_of(std::string_view form, std::uint64_t session) {
  std::string line{form};
  const auto id = to_chars(session_number(session));
  line.replace(line.find("session_id") + 13, id.size(), id.data(), id.size());
  return line;
}

/// Appends sessions of twenty turns, a thousand at a time, and closes the log.
/// Returns how many.
std::uint64_t fill(host::event_log_writer& log, std::uint64_t bytes) {
  std::uint64_t first = 0;
  for (std::uint64_t written = 0; written < bytes; first += sessions_at_a_time)
    for (std::uint64_t i = 0; i < sessions_at_a_time * turns_each; ++i) {
      const auto session = first + i % sessions_at_a_time;
      must(log.append(line_of(dispatched, session)));
      written = must(log.append(line_of(completed, session)));
      // Groups as large as those of sessions that wait for answers.
      if (i % 200 == 0)
        static_cast<void>(log.flush());
    }
  if (auto closed = log.close(); !closed)
    give_up(closed.error());
  return first;
}

auto new_log(const fs::path& path, protocol::durability durability) {
  fs::remove(path);
  return must(host::event_log_writer::open(path, {.durability = durability}));
}

void read_all(const fs::path& path) {
  std::uint64_t bytes = 0;
  static_cast<void>(must(
    host::visit_log(path, [&](const host::log_place&, std::string_view text) {
      bytes += text.size();
    })));
}

std::uint64_t read_one(const fs::path& path, std::uint64_t session) {
  return must(host::visit_session(path, session_number(session),
                                  [](const host::log_place&, std::string_view) {
                                    return true;
                                  }))
    .lines;
}

/// Seconds to write so many bytes to the disk, with or without somebody who
/// follows.
double write_followed(const fs::path& path, std::uint64_t bytes, bool follow) {
  const auto log = new_log(path, protocol::durability::group);
  host::log_watch watch{path};
  std::thread follower{[&] {
    if (!follow)
      return;
    auto reader = must(host::log_reader::open(path));
    do {
      while (must(reader.next()))
        continue;
    } while (watch.wait());
  }};
  const auto took = seconds([&] { fill(*log, bytes); });
  watch.stop();
  follower.join();
  return took;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: log_read FOLDER [MEGABYTES] [ROUNDS]\n");
    return 2;
  }
  const fs::path folder{argv[1]};
  const auto megabytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const auto rounds = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5;
  const auto path = folder / "events.jsonl";
  const auto sessions = fill(*new_log(path, protocol::durability::none),
                             megabytes << 20);
  fs::remove(folder / "events.index");
  const auto size = static_cast<double>(fs::file_size(path)) / 1e6;
  std::vector<double> parse;
  std::vector<double> all;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    parse.push_back(seconds([&] {
      if (const auto parsed = bench::parse_lines(path); !parsed)
        give_up(parsed.error());
    }));
    all.push_back(seconds([&] { read_all(path); }));
  }
  const auto first = seconds([&] { read_one(path, sessions / 2); });
  std::vector<double> one;
  for (std::uint64_t i = 0; i < 101; ++i)
    one.push_back(seconds([&] { read_one(path, i * 7919 % sessions); }));
  std::printf("%.0f MB, %llu sessions of %llu events, index %.1f MB\n", size,
              static_cast<unsigned long long>(sessions),
              static_cast<unsigned long long>(read_one(path, 0)),
              static_cast<double>(fs::file_size(folder / "events.index"))
                / 1e6);
  std::printf("simdjson alone     %8.0f MB/s\n", size / median(parse));
  std::printf("reading it all     %8.0f MB/s, %.2f of simdjson\n",
              size / median(all), median(parse) / median(all));
  std::printf("a session, first   %8.1f ms, makes the index\n", first * 1e3);
  std::printf("a session, after   %8.3f ms, %.3f percent of reading it all\n",
              median(one) * 1e3, median(one) / median(all) * 100);
  std::vector<double> alone;
  std::vector<double> followed;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    alone.push_back(write_followed(path, megabytes << 16, false));
    followed.push_back(write_followed(path, megabytes << 16, true));
  }
  const auto quarter = static_cast<double>(megabytes << 16) / 1e6;
  std::printf("writing to disk    %8.0f MB/s, followed %.0f MB/s, %.2f\n",
              quarter / median(alone), quarter / median(followed),
              median(alone) / median(followed));
  fs::remove(path);
  fs::remove(folder / "events.index");
  return 0;
}
