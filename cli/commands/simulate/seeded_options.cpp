#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/thread_trial.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::error;
using protocol::fail;
using protocol::result;

namespace {

result<std::uint64_t> read_seed(std::string_view text) {
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || at != end)
    return fail(errc::usage,
                "--seeds: give a whole number, or the first and the last as in "
                "1..100",
                "seeds");
  return number;
}

} // namespace

void add_seeded(const command_line& command, seeded_options& into) {
  command.add("PATH", into.scenario.path).required();
  command.add("--seeds", into.seeds);
  command.add("--stand-in", into.stand_ins);
  command.add("--set", into.scenario.overrides);
  command.add("--strict", into.scenario.strict);
}

result<seed_range> read_seeds(std::string_view text) {
  const auto dots = text.find("..");
  const auto first = read_seed(text.substr(0, dots));
  const auto last = dots == text.npos ? first
                                      : read_seed(text.substr(dots + 2));
  if (!first || !last)
    return fail(!first ? first.error() : last.error());
  if (*last < *first)
    return fail(errc::usage, "--seeds: the last is below the first", "seeds");
  if (*last - *first >= host::seeds_max)
    return fail(errc::limit_reached,
                "--seeds: at most " + std::to_string(host::seeds_max)
                  + " at a time",
                "seeds_max");
  return seed_range{*first, *last};
}

result<void> place_stand_ins(const std::vector<std::string>& given,
                             scenario_file& into) {
  for (const auto& text : given) {
    const auto parsed = host::parse_stand_in(text);
    if (!parsed)
      return fail(parsed.error());
    into.overrides.push_back(host::to_override(*parsed));
  }
  return {};
}

error as_given(error why, const std::vector<std::string>& stand_ins) {
  for (const auto& text : stand_ins) {
    const auto parsed = host::parse_stand_in(text);
    const auto as_set = "--set " + (parsed ? host::to_override(*parsed) : "");
    if (parsed && why.message.starts_with(as_set))
      why.message = "--stand-in " + text + why.message.substr(as_set.size());
  }
  return why;
}

result<host::seeded_scenario>
check_can_start(const scenario_file& from, std::uint64_t seed,
                std::vector<host::source_note>* notes) {
  auto made = scenario_for_seed(from, seed, notes);
  if (!made)
    return made;
  auto fits = host::check_nobody_outside(made->spec).and_then([&] {
    return host::may_start(made->spec,
                           host::options_for_seed(made->spec, seed));
  });
  if (fits)
    return made;
  if (fits.error().code != errc::usage)
    fits.error().file = from.path;
  return fail(std::move(fits).error());
}

result<std::size_t> threads_for(const common_options& common,
                                const seed_range& seeds) {
  const std::uint64_t wanted
    = common.threads != 0 ? common.threads
                          : std::max(1U, std::thread::hardware_concurrency());
  const auto threads = static_cast<std::size_t>(std::min(wanted, seeds.size()));
  constexpr std::size_t threads_of_each = 4;
  return host::try_threads({.seed = seeds.first}, threads * threads_of_each)
    .map([threads] { return threads; });
}

} // namespace convene::cli
