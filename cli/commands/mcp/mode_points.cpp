#include <convene/cli/commands/mcp/mode_points.hpp>
#include <convene/cli/commands/run/approval.hpp>
#include <convene/cli/commands/run/scenario_for_seed.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/runtime/may_start.hpp>

#include <utility>

namespace convene::cli {
namespace {

protocol::result<void> check_point(const json::object& scenario,
                                   const host::study_point& point) {
  const auto made = load_point(scenario, point, 1);
  if (!made)
    return protocol::fail(made.error());
  return host::check_nobody_outside(made->spec).and_then([&] {
    return host::may_start(made->spec, host::options_for_seed(made->spec, 1));
  });
}

} // namespace

protocol::result<host::seeded_scenario>
load_point(const json::object& scenario, const host::study_point& point,
           std::uint64_t seed) {
  host::seeded_scenario made;
  auto ids = ids_for_seed(seed);
  const auto now = runtime_options{}.virtual_start;
  auto loaded = host::load_scenario(json::object{scenario},
                                    {.ids = ids,
                                     .now = now,
                                     .overrides = point.overrides,
                                     .seed = seed,
                                     .aliases = &made.aliases});
  if (!loaded)
    return protocol::fail(std::move(loaded).error());
  made.spec = *std::move(loaded);
  approve_extensions(made.spec, ids, now);
  return made;
}

mode_points points_of_modes(json::object scenario,
                            const json::object& stand_ins,
                            const std::vector<std::string_view>& modes) {
  mode_points made{.scenario = std::move(scenario)};
  if (!stand_ins.empty()) {
    auto& behaviours = made.scenario["behaviours"];
    if (!behaviours.is_object())
      behaviours = json::object{};
    for (const auto& each : stand_ins)
      behaviours.get_object()[each.key()] = each.value();
  }
  for (const auto mode :
       modes.empty()
         ? std::vector<std::string_view>{"broadcast", "round_robin",
                                         "orchestrated", "swarm", "pair"}
         : modes) {
    host::study_point point{.vary = {{"collab.mode", mode}},
                            .overrides = {"collab.mode=" + std::string{mode}}};
    if (auto can = check_point(made.scenario, point); !can)
      made.refused.emplace_back(mode, std::move(can).error());
    else
      made.points.push_back(std::move(point));
  }
  return made;
}

} // namespace convene::cli
