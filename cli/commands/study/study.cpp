#include <convene/cli/commands/simulate/measure_arguments.hpp>
#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/cli/commands/simulate/simulation_report.hpp>
#include <convene/cli/commands/study/study_page.hpp>
#include <convene/cli/commands/study/study_report.hpp>
#include <convene/cli/commands/study/study_setup.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/lab/study/point_store.hpp>
#include <convene/lab/study/study_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct study_arguments {
  seeded_options seeded;
  study_setup setup;
  measure_arguments measures;
  std::size_t baseline = 1;
  std::string out; ///< empty: nothing is written
};

/// Points that are finished, and where more of them go.
struct study_progress {
  std::optional<host::point_store> store; ///< unset: nowhere
  std::vector<host::point_result> finished;
};

result<host::study> study_of(const study_arguments& arguments,
                             const seed_range& seeds,
                             const common_options& common) {
  auto points = points_of(arguments.setup);
  if (!points)
    return fail(std::move(points).error());
  if (points->size() > host::study_runs_max / seeds.size())
    return fail(errc::limit_reached,
                fmt::format("{} points with {} seeds each are more than {} "
                            "runs: give fewer of them",
                            points->size(), seeds.size(), host::study_runs_max),
                "study_runs_max");
  if (arguments.baseline > points->size())
    return fail(errc::usage,
                fmt::format("--baseline: the study's points are 1 to {}",
                            points->size()),
                "baseline");
  const auto threads = threads_for(common, seeds);
  if (!threads)
    return fail(threads.error());
  host::simulation each;
  if (auto placed = place_measures(arguments.measures, arguments.out, each);
      !placed)
    return fail(std::move(placed).error());
  if (!arguments.out.empty())
    each.out = std::filesystem::path{arguments.out} / "seeds";
  return host::study{
    .points = *std::move(points),
    .first = seeds.first,
    .last = seeds.last,
    .threads = *threads,
    .scenario =
      [&arguments](const host::study_point& point, std::uint64_t seed) {
        return scenario_for_seed(scenario_of(arguments.seeded, point), seed);
      },
    .each = std::move(each)};
}

/// What a failed run is reproduced with: a study of this point and seed alone.
void add_commands_to(json::object& summary, const study_arguments& arguments,
                     const host::study& what) {
  auto& points = summary.at("points").as_array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& seeded = arguments.seeded;
    auto words = "convene study " + shell_word(seeded.scenario.path);
    for (const auto* overrides :
         {&seeded.scenario.overrides, &what.points[i].overrides})
      for (const auto& text : *overrides)
        words += " --set " + shell_word(text);
    for (const auto& text : seeded.stand_ins)
      words += " --stand-in " + shell_word(text);
    for (const auto& word : command_words(arguments.measures))
      words += ' ' + shell_word(word);
    if (seeded.scenario.strict)
      words += " --strict";
    for (auto& one : points[i].at("failures").as_array())
      one.as_object().emplace(
        "command", fmt::format("{} --seeds {}", words,
                               one.at("seed").to_number<std::uint64_t>()));
  }
}

result<void> write_study(const std::filesystem::path& folder,
                         const json::object& summary) {
  return host::write_file(folder / "points.csv", study_csv(summary))
    .and_then([&] {
      return host::write_file(folder / "summary.json", pretty(summary));
    })
    .and_then([&] { return to_html(study_page(summary)); })
    .and_then([&](const std::string& page) {
      return host::write_file(folder / "report.html", page);
    });
}

/// It was stopped while it looked whether all points can start.
int told_stopped(int signal, const common_options& common) {
  static_cast<void>(
    report({.code = errc::not_allowed,
            .message = "the study was stopped while its points were checked: "
                       "nothing was run; the same command begins it again",
            .rule = "interrupted"},
           common.json));
  return 128 + signal;
}

int study(const study_arguments& arguments, const common_options& common) {
  const auto told = [&common](const error& what) {
    return report(what, common.json);
  };
  const auto seeds = read_seeds(arguments.seeded.seeds);
  if (!seeds)
    return told(seeds.error());
  scenario_file unused;
  if (auto valid = place_stand_ins(arguments.seeded.stand_ins, unused); !valid)
    return told(valid.error());
  auto what = study_of(arguments, *seeds, common);
  if (!what)
    return told(what.error());

  std::atomic<bool> stop = false;
  const signal_watch signals{[&stop] { stop = true; }};
  study_progress so_far;
  {
    progress_line progress{!common.quiet};
    const auto hash
      = activate_all(arguments.seeded, *seeds, what->points, arguments.measures,
                     stop, [&](std::size_t done) {
                       progress.show(fmt::format("{} of {} points can start",
                                                 done, what->points.size()));
                     });
    if (!hash)
      return told(hash.error());
    if (!*hash)
      return told_stopped(signals.caught(), common);
    if (!arguments.out.empty()) {
      auto store = host::point_store::open(arguments.out, **hash, seeds->size(),
                                           what->points.size());
      if (!store)
        return told(store.error());
      so_far.finished = store->finished();
      so_far.store = *std::move(store);
    }
    if (so_far.store)
      what->on_point = [&so_far](const host::point_result& point) {
        return so_far.store->append(point);
      };
    what->on_progress = [&](std::uint64_t done) {
      progress.show(fmt::format("{} of {} runs have ended", done,
                                what->points.size() * seeds->size()));
    };
    if (auto run = host::run_points(*what, stop, so_far.finished); !run)
      return told(run.error());
  }
  const auto& path = arguments.seeded.scenario.path;
  json::object summary{{"scenario", sanitize_utf8(path)},
                       {"interrupted", signals.caught() != 0}};
  for (auto& member :
       host::summarise(*what, so_far.finished, arguments.baseline))
    summary.emplace(member.key(), std::move(member.value()));
  add_commands_to(summary, arguments, *what);
  if (!arguments.out.empty())
    if (auto written = write_study(arguments.out, summary); !written)
      return told(written.error());
  if (common.json)
    print_json(summary);
  else if (!common.quiet || summary.at("failed") != 0)
    print(study_text(summary));
  if (const int signal = signals.caught(); signal != 0)
    return 128 + signal;
  return summary.at("failed") == 0 ? exit_good : exit_no;
}

} // namespace

void add_study(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "study", "Compares variants of a scenario under the same seeds");
  auto arguments = std::make_shared<study_arguments>();
  add_seeded(command, arguments->seeded);
  add_measures(command, arguments->measures);
  command
    .add_option("--vary", arguments->setup.vary,
                "Values of a member of the scenario, each a variant; 1..5 are "
                "the whole numbers from 1 to 5. Several make all combinations")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("KEY=V1,V2,...");
  command
    .add_option("--vary-with", arguments->setup.vary_with,
                "File with variants that set several members each: [{\"name\": "
                "\"pair\", \"set\": {\"collab.mode\": \"pair\"}}, ...]")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("FILE");
  auto* const sample
    = command
        .add_option("--sample", arguments->setup.sample,
                    "Instead of all combinations, so many of a Latin "
                    "hypercube; 0.1..0.9 is then any number between")
        ->option_text("latin:N");
  command
    .add_option("--sample-seed", arguments->setup.sample_seed,
                "Another seed, another hypercube. Default 1")
    ->check(whole_number())
    ->needs(sample)
    ->option_text("N");
  command
    .add_option("--baseline", arguments->baseline,
                "The point with which the others are compared. Default 1")
    ->check(whole_number(1, host::points_max))
    ->option_text("POINT");
  command
    .add_option(
      "--out", arguments->out,
      "Folder for summary.json, which is what --json prints, its page "
      "report.html, points.csv, and the finished points "
      "(points.jsonl), with which the same command goes on if it was "
      "stopped, and the runs that are kept (seeds/POINT/SEED)")
    ->option_text("DIR");
  add_common(command, common);
  command.footer("Example: convene study scenario.json --vary-with modes.json "
                 "--vary session.retries=0..2 --seeds 1..200 --out study\n"
                 "Exit codes: 1 a run fails; 2 cannot be run; 3 fault; 130 and "
                 "143 after a signal, with the points so far kept.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return study(*arguments, common); };
  });
}

} // namespace convene::cli
