#include <convene/cli/commands/mcp/mode_points.hpp>

#include <utility>

namespace convene::cli {

mode_points points_of_modes(json::object scenario,
                            const json::object& stand_ins,
                            const std::vector<std::string_view>& modes) {
  mode_points made;
  if (!stand_ins.empty()) {
    auto& behaviours = scenario["behaviours"];
    if (!behaviours.is_object())
      behaviours = json::object{};
    for (const auto& each : stand_ins)
      behaviours.get_object()[each.key()] = each.value();
  }
  made.base.scenario.given = std::move(scenario);
  for (const auto mode :
       modes.empty()
         ? std::vector<std::string_view>{"broadcast", "round_robin",
                                         "orchestrated", "swarm", "pair"}
         : modes) {
    host::study_point point{.vary = {{"collab.mode", mode}},
                            .overrides = {"collab.mode=" + std::string{mode}}};
    if (auto can = check_can_start(scenario_of(made.base, point), 1); !can)
      made.refused.emplace_back(mode, std::move(can).error());
    else
      made.points.push_back(std::move(point));
  }
  return made;
}

} // namespace convene::cli
