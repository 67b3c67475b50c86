#include <convene/cli/commands/simulate/measure_arguments.hpp>
#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/cli/commands/study/study_page.hpp>
#include <convene/cli/commands/study/study_report.hpp>
#include <convene/cli/commands/study/study_setup.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/lab/study/point_store.hpp>
#include <convene/lab/study/study_scenarios.hpp>
#include <convene/lab/study/study_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

void add_options(const command_line& command, study_arguments& arguments) {
  add_seeded(command, arguments.seeded);
  add_measures(command, arguments.measures);
  command.add("--vary", arguments.setup.vary);
  command.add("--vary-with", arguments.setup.vary_with);
  const auto sample = command.add("--sample", arguments.setup.sample);
  command.add("--sample-seed", arguments.setup.sample_seed, whole_number())
    .needs(sample);
  command.add("--baseline", arguments.baseline,
              whole_number(1, host::points_max));
  command["--keep"].needs(command.add("--out", arguments.out));
}

/// Points that are finished, and where more of them go.
struct study_progress {
  std::optional<host::point_store> store; ///< unset: nowhere
  std::vector<host::point_result> finished;
};

result<host::study> study_of(const study_arguments& arguments,
                             const host::seed_range& seeds,
                             const common_options& common) {
  auto points = points_of(arguments.setup);
  if (!points)
    return fail(std::move(points).error());
  if (auto fits = host::check_size(points->size(), seeds, arguments.baseline);
      !fits)
    return fail(std::move(fits).error());
  const auto threads = host::threads_for(common.threads, seeds);
  if (!threads)
    return fail(threads.error());
  host::simulation each;
  if (auto placed = place_measures(arguments.measures, each); !placed)
    return fail(std::move(placed).error());
  if (!arguments.out.empty())
    each.out = std::filesystem::path{arguments.out} / "seeds";
  return host::study{.points = *std::move(points),
                     .first = seeds.first,
                     .last = seeds.last,
                     .threads = *threads,
                     .scenario
                     = host::scenarios_from(base_of(arguments.seeded)),
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
  return exit_signal + signal;
}

result<int> study(const study_arguments& arguments,
                  const common_options& common) {
  const auto seeds = read_seeds(arguments.seeded.seeds);
  if (!seeds)
    return fail(seeds.error());
  host::scenario_input unused;
  if (auto valid = place_stand_ins(arguments.seeded.stand_ins, unused); !valid)
    return fail(valid.error());
  auto what = study_of(arguments, *seeds, common);
  if (!what)
    return fail(what.error());

  std::atomic<bool> stop = false;
  const signal_watch signals{[&stop] { stop = true; }};
  study_progress so_far;
  {
    progress_line progress{!common.quiet};
    const auto hash = activate_all(arguments.seeded, *seeds, what->points,
                                   arguments.measures, stop,
                                   [&](std::size_t done) {
                                     progress.show({.done = done,
                                                    .all = what->points.size(),
                                                    .unit = "points",
                                                    .what = "checking"});
                                   });
    if (!hash)
      return fail(hash.error());
    if (!*hash)
      return told_stopped(signals.caught(), common);
    if (!arguments.out.empty()) {
      auto store = host::point_store::open(arguments.out, **hash, seeds->size(),
                                           what->points.size());
      if (!store)
        return fail(store.error());
      so_far.finished = store->finished();
      so_far.store = *std::move(store);
    }
    if (so_far.store)
      what->on_point = [&so_far](const host::point_result& point) {
        return so_far.store->append(point);
      };
    const auto found = so_far.finished.size() * seeds->size();
    progress.restart();
    what->on_progress = [&](std::uint64_t done, std::uint64_t failed) {
      progress.show({.done = done - found,
                     .all = what->points.size() * seeds->size() - found,
                     .failed = failed,
                     .unit = "runs"});
    };
    if (auto run = host::run_points(*what, stop, so_far.finished); !run)
      return fail(run.error());
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
      return fail(written.error());
  if (common.json)
    print_json(summary);
  else if (!common.quiet || summary.at("failed") != 0)
    print(study_text(summary));
  return signals.exit_code(summary.at("failed") == 0 ? exit_good : exit_no);
}

} // namespace

void add_study(const command_line& program) {
  program.add<study_arguments>("study", study, add_options);
}

} // namespace convene::cli
