// What it costs to have events on the disk. Events per second by the log's
// writer with durability none and group, and by a loop that writes and syncs
// the same batches and does nothing else; turns per second of whole sessions
// with none and group. One process, interleaved, medians.
//
// usage: log_bench [ROUNDS [FOLDER]]

#include "baseline/figures.hpp"

#include <convene/convene.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using convene::durability;
using convene::bench::median;
using convene::bench::ratio;
using clock_type = std::chrono::steady_clock;

constexpr int events = 400'000;
constexpr int sessions = 200;
constexpr int turns_each = 2000;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "log_bench: %s\n", why.c_str());
  std::exit(1);
}

/// Runs `work` and says how many of `count` it did in a second.
template <class Work>
double rate(int count, Work work) {
  const auto begin = clock_type::now();
  work();
  return count
         / std::chrono::duration<double>(clock_type::now() - begin).count();
}

std::string event(int number) {
  return R"({"event_id":"00000000-0000-4000-8000-000000000000",)"
         R"("event_type":"MAPTurnCompleted","event_family":)"
         R"("RuntimeExecutionEvent","payload":{"turn_number":)"
         + std::to_string(number) + R"(,"output_summary":")"
         + std::string(220, 'x') + "\"}}\n";
}

double writer_rate(const fs::path& file, durability kept) {
  fs::remove(file);
  const auto lines = event(123456);
  return rate(events, [&] {
    auto log = convene::host::event_log_writer::open(file,
                                                     {.durability = kept});
    if (!log)
      stop(to_string(log.error()));
    for (int i = 0; i < events; ++i)
      if (!(*log)->append(lines))
        stop("appending failed");
    if (!(*log)->close())
      stop("closing failed");
  });
}

/// The groups of a log, each with its `log_group` line.
std::vector<std::string> batches_of(const fs::path& file) {
  std::vector<std::string> batches{{}};
  std::ifstream in{file, std::ios::binary};
  for (std::string line; std::getline(in, line);) {
    batches.back() += line + '\n';
    if (convene::host::is_group(line))
      batches.emplace_back();
  }
  batches.pop_back();
  return batches;
}

double plain_rate(const fs::path& file,
                  const std::vector<std::string>& batches) {
  fs::remove(file);
  return rate(events, [&] {
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    for (const auto& batch : batches)
      for (std::size_t at = 0; at < batch.size();) {
        const auto count = ::write(out, batch.data() + at, batch.size() - at);
        if (count < 0)
          stop("writing failed");
        at += static_cast<std::size_t>(count);
        if (at == batch.size() && ::fdatasync(out) != 0)
          stop("syncing failed");
      }
    ::close(out);
  });
}

double turns_rate(const fs::path& file, durability kept) {
  fs::remove(file);
  convene::session_setup setup{.title = "bench",
                               .purpose = "measure",
                               .mode = convene::mode::round_robin,
                               .task = "review the change"};
  setup.options.max_turns = 1'000'000;
  setup.options.rounds = turns_each / 8;
  for (int i = 0; i < 8; ++i)
    setup.participants.push_back(convene::quick_agent(
      "agent-" + std::to_string(i), "role", [](const convene::turn_request&) {
        return convene::reply{.content = "looks good"};
      }));
  return rate(sessions * turns_each, [&] {
    convene::runtime runtime{{.log = file, .durability = kept}};
    std::vector<convene::session_handle> all;
    for (int i = 0; i < sessions; ++i)
      all.push_back(runtime.start(setup));
    for (const auto& session : all)
      if (const auto ended = session.await(); !ended)
        stop(to_string(ended.error()));
    if (!runtime.close())
      stop("closing failed");
  });
}

} // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 5;
  const fs::path folder = argc > 2 ? argv[2] : fs::current_path();
  const auto file = folder / "convene-bench-log.jsonl";
  const auto copy = folder / "convene-bench-log.copy";
  std::vector<double> none, group, plain, turns_none, turns_group;
  std::size_t batches = 0;
  for (int i = 0; i < rounds; ++i) {
    none.push_back(writer_rate(file, durability::none));
    group.push_back(writer_rate(file, durability::group));
    const auto same = batches_of(file);
    batches = same.size();
    plain.push_back(plain_rate(copy, same));
    turns_none.push_back(turns_rate(file, durability::none));
    turns_group.push_back(turns_rate(file, durability::group));
  }
  fs::remove(file);
  fs::remove(copy);
  std::printf("%d rounds, %d events of %zu bytes, %zu groups in the last\n",
              rounds, events, event(123456).size(), batches);
  std::printf("events/s  none %.0f  group %.0f  plain writer %.0f  "
              "group:plain %.2f  group:none %.2f\n",
              median(none), median(group), median(plain), ratio(group, plain),
              ratio(group, none));
  std::printf("turns/s   none %.0f  group %.0f  group:none %.2f\n",
              median(turns_none), median(turns_group),
              ratio(turns_group, turns_none));
}
