// What stock CAF does with the same messages, for the ratios in
// docs/performance.md.

#include "baseline/raw_caf.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>

namespace {

using namespace convene::bench;

std::optional<std::uint64_t> number_in(const char* text) {
  std::uint64_t number = 0;
  const auto* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, number);
  if (read.ec != std::errc{} || read.ptr != end || number == 0)
    return std::nullopt;
  return number;
}

int usage() {
  std::fputs("usage: raw [turns, default 1000000 [threads, default 1; "
             "the sessions workload takes all cores]]\n",
             stderr);
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  const auto turns = argc > 1 ? number_in(argv[1]) : 1'000'000;
  const auto threads = argc > 2 ? number_in(argv[2]) : std::nullopt;
  if (!turns || (argc > 2 && !threads) || argc > 3)
    return usage();
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  for (const auto which : workloads) {
    const auto used = threads.value_or(which == workload::sessions ? cores : 1);
    const auto rate = raw_turns_per_second(which, *turns, used);
    std::printf("%-14s %2zu %s %12.0f turns/s\n",
                workload_names[static_cast<std::size_t>(which)].data(),
                std::size_t{used}, used == 1 ? "thread " : "threads", rate);
  }
  return 0;
}
