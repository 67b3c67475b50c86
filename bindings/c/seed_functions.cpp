#include <boost/json/serialize.hpp>
#include <convene/bindings/c/answered_here.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/running_work.hpp>
#include <convene/bindings/c/seed_settings.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>
#include <convene/lab/study/study_summary.hpp>

#include <utility>
#include <vector>

using namespace convene::c_api;
using convene::protocol::result;
namespace host = convene::host;
namespace json = boost::json;

namespace {

/// Nothing answers for participants without a behavior.
result<void> check_bound(const host::scenario_input& from, std::uint64_t seed) {
  return host::scenario_for_seed(from, seed)
    .and_then([](const host::seeded_scenario& made) {
      return answered_here(made.spec, {});
    })
    .map([](const auto&) {});
}

result<json::object> simulate(const seed_settings& how) {
  const auto& from = how.from;
  const auto scenario = host::scenario_of(from, {});
  const auto fits = check_bound(scenario, how.seeds.first).and_then([&] {
    return host::check_can_start(scenario, how.seeds.first);
  });
  if (!fits)
    return tl::unexpected(fits.error());
  const auto threads = host::threads_for(how.threads, how.seeds);
  const auto read = host::read_once(scenario);
  if (!threads || !read)
    return tl::unexpected(!threads ? threads.error() : read.error());
  auto what = how.judged;
  what.first = how.seeds.first;
  what.last = how.seeds.last;
  what.threads = *threads;
  what.scenario = [&](std::uint64_t seed) {
    return host::scenario_for_seed(*read, seed, scenario.strict);
  };
  const running_work work{how.limit};
  return host::simulate(what, work.stop()).map([&](const auto& outcomes) {
    auto made = host::summarise(what, outcomes);
    made.emplace("interrupted", outcomes.size() < how.seeds.size());
    return made;
  });
}

result<json::object> study(const seed_settings& how,
                           const point_settings& points) {
  if (how.judged.faults)
    return convene::protocol::fail(
      {.code = convene::protocol::errc::invalid_document,
       .message = "a study has no faults: remove this member, or simulate each "
                  "variant",
       .pointer = "/faults",
       .rule = "additionalProperties"});
  const running_work work{how.limit};
  const auto threads
    = host::check_size(points.points.size(), how.seeds, points.baseline)
        .and_then([&] { return host::threads_for(how.threads, how.seeds); });
  if (!threads)
    return tl::unexpected(threads.error());
  const host::study what{.points = points.points,
                         .first = how.seeds.first,
                         .last = how.seeds.last,
                         .threads = *threads,
                         .scenario = host::scenarios_from(how.from),
                         .each = how.judged};
  for (std::size_t i = 0; i < what.points.size() && !work.stop(); ++i) {
    const auto& point = what.points[i];
    const auto fits
      = check_bound(host::scenario_of(how.from, point), what.first)
          .and_then([&] {
            return host::check_point(how.from, point, i + 1, what.first);
          });
    if (!fits)
      return tl::unexpected(fits.error());
  }
  std::vector<host::point_result> all;
  if (auto run = host::run_points(what, work.stop(), all); !run)
    return tl::unexpected(std::move(run).error());
  auto made = host::summarise(what, all, points.baseline);
  made.emplace("interrupted", all.size() < what.points.size());
  return made;
}

/// `run` makes a summary of the settings.
template <class Run>
int run_seeds(const char* scenario, const char* options, char** summary,
              char** error, const Run& run) {
  return guarded(error, [&]() -> result<void> {
    if (scenario == nullptr || summary == nullptr)
      return null_argument(scenario == nullptr ? "scenario" : "summary");
    *summary = nullptr;
    auto given = object_argument(options == nullptr ? "{}" : options,
                                 "options");
    if (!given)
      return tl::unexpected(std::move(given).error());
    return run(*std::move(given)).map([&](const json::object& made) {
      *summary = text_for_caller(json::serialize(made));
    });
  });
}

} // namespace

int convene_simulate(const char* scenario, const char* options, char** summary,
                     char** error) {
  return run_seeds(scenario, options, summary, error, [&](json::object given) {
    return read_seed_settings(scenario, std::move(given)).and_then(simulate);
  });
}

int convene_study(const char* scenario, const char* options, char** summary,
                  char** error) {
  return run_seeds(scenario, options, summary, error, [&](json::object given) {
    return take_point_settings(given).and_then([&](
                                                 const point_settings& points) {
      return read_seed_settings(scenario, std::move(given))
        .and_then([&](const seed_settings& how) { return study(how, points); });
    });
  });
}

void convene_interrupt() {
  running_work::interrupt_all();
}
