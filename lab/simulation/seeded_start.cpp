#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/thread_trial.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

result<void> check_range(const seed_range& seeds) {
  if (seeds.last < seeds.first)
    return fail(errc::usage, "--seeds: the last is below the first", "seeds");
  if (seeds.last - seeds.first >= seeds_max)
    return fail(errc::limit_reached,
                "--seeds: at most " + std::to_string(seeds_max) + " at a time",
                "seeds_max");
  return {};
}

result<seeded_scenario> check_can_start(const scenario_input& from,
                                        std::uint64_t seed,
                                        std::vector<source_note>* notes) {
  auto made = scenario_for_seed(from, seed, notes);
  if (!made)
    return made;
  auto fits = check_nobody_outside(made->spec).and_then([&] {
    return may_start(made->spec, options_for_seed(made->spec, seed));
  });
  if (fits)
    return made;
  if (fits.error().code != errc::usage)
    fits.error().file = from.path;
  return fail(std::move(fits).error());
}

result<std::size_t> threads_for(std::size_t wanted, const seed_range& seeds) {
  if (wanted == 0)
    wanted = std::max(1U, std::thread::hardware_concurrency());
  const auto threads
    = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, seeds.size()));
  constexpr std::size_t threads_of_each = 4;
  return try_threads({.seed = seeds.first}, threads * threads_of_each)
    .map([threads] { return threads; });
}

} // namespace convene::host
