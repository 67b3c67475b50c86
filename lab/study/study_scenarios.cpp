#include <convene/lab/study/study_scenarios.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// Reads the scenario of each point once: all seeds of one come before those of
/// the next.
class point_scenarios {
public:
  result<seeded_scenario> of(const scenario_input& from, std::uint64_t seed) {
    return latest(from).and_then([&](const reusable_scenario& read) {
      return scenario_for_seed(read, seed, from.strict);
    });
  }

private:
  result<reusable_scenario> latest(const scenario_input& from) {
    const std::scoped_lock guard{mutex_};
    if (!latest_ || overrides_ != from.overrides) {
      auto read = read_once(from);
      if (!read)
        return read;
      latest_ = *std::move(read);
      overrides_ = from.overrides;
    }
    return *latest_;
  }

  std::mutex mutex_;
  std::optional<reusable_scenario> latest_;
  std::vector<std::string> overrides_; ///< of `latest_`
};

} // namespace

scenario_input scenario_of(const study_base& from, const study_point& point) {
  auto made = from.scenario;
  for (const auto* overrides : {&point.overrides, &from.last})
    made.overrides.insert(made.overrides.end(), overrides->begin(),
                          overrides->end());
  return made;
}

std::function<result<seeded_scenario>(const study_point& point,
                                      std::uint64_t seed)>
scenarios_from(study_base from) {
  return [from = std::move(from), read = std::make_shared<point_scenarios>()](
           const study_point& point, std::uint64_t seed) {
    return read->of(scenario_of(from, point), seed);
  };
}

result<void> check_size(std::size_t points, const seed_range& seeds,
                        std::size_t baseline) {
  if (points > study_runs_max / seeds.size())
    return fail(errc::limit_reached,
                std::to_string(points) + " points with "
                  + std::to_string(seeds.size()) + " seeds each are more than "
                  + std::to_string(study_runs_max)
                  + " runs: give fewer of them",
                "study_runs_max");
  if (baseline > points)
    return fail(errc::usage,
                "--baseline: the study's points are 1 to "
                  + std::to_string(points),
                "baseline");
  return {};
}

result<seeded_scenario> check_point(const study_base& from,
                                    const study_point& point,
                                    std::size_t number, std::uint64_t seed) {
  auto fits = check_can_start(scenario_of(from, point), seed);
  if (fits)
    return fits;
  auto why = std::move(fits).error();
  why.message = "point " + std::to_string(number) + " ("
                + shorten(name_of(point)) + "): " + why.message;
  return fail(std::move(why));
}

} // namespace convene::host
