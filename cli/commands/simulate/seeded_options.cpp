#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/lab/simulation/stand_ins.hpp>

#include <charconv>
#include <system_error>
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

result<host::seed_range> read_seeds(std::string_view text) {
  const auto dots = text.find("..");
  const auto first = read_seed(text.substr(0, dots));
  const auto last = dots == text.npos ? first
                                      : read_seed(text.substr(dots + 2));
  if (!first || !last)
    return fail(!first ? first.error() : last.error());
  const host::seed_range made{*first, *last};
  return host::check_range(made).map([made] { return made; });
}

result<void> place_stand_ins(const std::vector<std::string>& given,
                             host::scenario_input& into) {
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
    if (const auto at = why.message.find(as_set); parsed && at != text.npos)
      why.message.replace(at, as_set.size(), "--stand-in " + text);
  }
  return why;
}

} // namespace convene::cli
