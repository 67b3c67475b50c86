// A thousand HTTP calls at once to a server that answers after a fixed time:
// how long all of them take, as a multiple of that time, and how much memory.
// One loop thread makes the calls, one thread of this process is the server.
// Takes the latency in milliseconds. docs/performance.md has the figures.

#include "runtime/outside/http/calls.hpp"

#include "baseline/figures.hpp"
#include "runtime/outside/http/raw_server.hpp"

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t calls = 1000;
constexpr int rounds = 7;

struct figures {
  double times_latency = 0;
  std::size_t bytes = 0; ///< allocated while all of them wait, server included
};

/// All calls of a client that has made none before, from start to end.
figures measure(const convene::tests::raw_server& server,
                std::chrono::milliseconds latency) {
  convene::host::http_client client{convene::tests::local_options()};
  std::latch done{calls};
  const auto before = mallinfo2().uordblks;
  const auto begin = clock_type::now();
  for (std::size_t i = 0; i < calls; ++i)
    client.start({.url = server.url(), .body = R"({"model":"m"})"},
                 [&](const convene::host::http_answer& got) {
                   if (!got.is_ok())
                     std::printf("failed: %s\n", got.error.message.c_str());
                   done.count_down();
                 });
  while (server.connections() < calls && !done.try_wait())
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const auto during = mallinfo2().uordblks;
  done.wait();
  const std::chrono::duration<double> took = clock_type::now() - begin;
  return {took / latency, during - before};
}

} // namespace

int main(int argc, char** argv) {
  const std::chrono::milliseconds latency{argc > 1 ? std::atoi(argv[1]) : 500};
  std::vector<double> times;
  std::vector<double> bytes;
  for (int i = 0; i < rounds; ++i) {
    const convene::tests::raw_server server{[&](const auto&, auto) {
      auto answer = convene::tests::answer_with("{\"ok\":true}");
      answer.delay = latency;
      return answer;
    }};
    const auto got = measure(server, latency);
    times.push_back(got.times_latency);
    bytes.push_back(static_cast<double>(got.bytes) / calls);
  }
  std::printf("%zu calls, latency %lld ms: %.2f times the latency\n", calls,
              static_cast<long long>(latency.count()),
              convene::bench::median(times));
  std::printf("a waiting call: %.0f bytes\n", convene::bench::median(bytes));
}
