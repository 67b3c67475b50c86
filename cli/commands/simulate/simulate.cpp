#include <convene/cli/commands/simulate/measure_arguments.hpp>
#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/cli/commands/simulate/shrink_run.hpp>
#include <convene/cli/commands/simulate/simulation_page.hpp>
#include <convene/cli/commands/simulate/simulation_report.hpp>
#include <convene/cli/commands/view/view_file.hpp>
#include <convene/cli/common/new_folder.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct simulate_arguments {
  seeded_options seeded;
  std::optional<std::string> faults;
  shrink_arguments shrink;
  measure_arguments measures;
  std::string out; ///< empty: nothing is written
};

void add_options(const command_line& command, simulate_arguments& arguments) {
  add_seeded(command, arguments.seeded);
  add_measures(command, arguments.measures);
  command.add("--faults", arguments.faults);
  const auto shrink = command.add("--shrink", arguments.shrink.is_wanted);
  command
    .add("--shrink-runs", arguments.shrink.runs, whole_number(1, 1'000'000))
    .needs(shrink);
  command["--keep"].needs(command.add("--out", arguments.out));
}

/// Writes the inspectors of the failed seeds that were kept, of the first ones;
/// returns their names in the folder.
std::map<std::uint64_t, std::string>
write_inspectors(const std::filesystem::path& folder,
                 const json::object& summary) {
  constexpr std::size_t pages_max = 20;
  std::map<std::uint64_t, std::string> pages;
  const auto& failures = summary.at("failures").as_array();
  std::error_code failed;
  for (const auto& one : failures) {
    const auto seed = one.at("seed").to_number<std::uint64_t>();
    const auto kept = folder / "seeds" / std::to_string(seed);
    if (!std::filesystem::is_directory(kept, failed))
      continue;
    const auto name = "inspect/" + std::to_string(seed) + ".html";
    std::filesystem::create_directories(folder / "inspect", failed);
    // If it fails, the report has no link to it.
    if (write_view(kept, "seed " + std::to_string(seed), folder / name))
      pages.emplace(seed, name);
    if (pages.size() == pages_max)
      break;
  }
  return pages;
}

result<void> write_results(const std::filesystem::path& folder,
                           const json::object& summary) {
  const auto pages = write_inspectors(folder, summary);
  return to_html(simulation_page(summary, pages))
    .and_then([&](const auto& html) {
      return host::write_file(folder / "summary.json", pretty(summary))
        .and_then(
          [&] { return host::write_file(folder / "report.html", html); });
    });
}

/// The scenario of the first seed can start, so the others can, too.
result<void> check_first(const host::scenario_input& from, std::uint64_t seed,
                         const common_options& common) {
  std::vector<host::source_note> notes;
  const auto fits = host::check_can_start(from, seed, &notes);
  if (!fits)
    return fail(fits.error());
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(to_string(error{.message = note.message,
                                 .file = note.file,
                                 .pointer = note.pointer,
                                 .line = note.line,
                                 .column = note.column}));
  return {};
}

/// What a failing seed is reproduced with, but for the seed.
std::vector<std::string> command_of(const simulate_arguments& arguments) {
  const auto& [scenario, seeds, stand_ins] = arguments.seeded;
  std::vector<std::string> words{scenario.path};
  for (const auto& text : scenario.overrides)
    words.insert(words.end(), {"--set", text});
  for (const auto& text : stand_ins)
    words.insert(words.end(), {"--stand-in", text});
  if (arguments.faults)
    words.insert(words.end(), {"--faults", *arguments.faults});
  for (const auto& word : command_words(arguments.measures))
    words.push_back(word);
  if (scenario.strict)
    words.emplace_back("--strict");
  return words;
}

/// What the first failing seed becomes that is made smaller.
void add_shrunk(json::object& summary, const simulate_arguments& arguments,
                const host::scenario_input& from, const host::simulation& what,
                const std::vector<host::seed_outcome>& outcomes,
                const std::atomic<bool>& stop) {
  const auto failed = std::ranges::find_if(outcomes,
                                           &host::seed_outcome::has_failed);
  if (!arguments.shrink.is_wanted || failed == outcomes.end())
    return;
  auto words = property_words(arguments.measures);
  if (from.strict)
    words.emplace_back("--strict");
  summary.emplace("shrunk",
                  shrink_to(std::filesystem::path{arguments.out} / "shrunk",
                            arguments.shrink, what, failed->seed, from, words,
                            stop));
}

result<int> simulate(const simulate_arguments& arguments,
                     const common_options& common) {
  host::simulation what;
  host::series_file series;
  auto from = arguments.seeded.scenario;
  if (arguments.shrink.is_wanted && arguments.out.empty())
    return fail({.code = errc::usage,
                 .message = "--shrink writes what is left to --out: give both",
                 .rule = "shrink"});
  const auto seeds = read_seeds(arguments.seeded.seeds);
  if (!seeds)
    return fail(seeds.error());
  what.first = seeds->first;
  what.last = seeds->last;
  if (arguments.faults) {
    auto read = host::read_faults(*arguments.faults);
    if (!read)
      return fail(read.error());
    what.faults = *std::move(read);
  }
  if (auto placed = place_measures(arguments.measures, what); !placed)
    return fail(placed.error());
  if (auto placed = place_stand_ins(arguments.seeded.stand_ins, from); !placed)
    return fail(placed.error());
  if (auto fits = check_first(from, what.first, common); !fits)
    return fail(as_given(fits.error(), arguments.seeded.stand_ins));
  const auto threads = host::threads_for(common.threads, *seeds);
  if (!threads)
    return fail(threads.error());
  what.threads = *threads;
  if (!arguments.out.empty()) {
    if (auto made = make_new_folder(arguments.out, "out"); !made)
      return fail(made.error());
    what.out = std::filesystem::path{arguments.out} / "seeds";
    if (auto opened
        = series.open(std::filesystem::path{arguments.out} / "series.csv");
        !opened)
      return fail(opened.error());
    what.series = &series;
  }
  const auto read = host::read_once(from);
  if (!read)
    return fail(read.error());
  what.scenario = [&from, &read](std::uint64_t seed) {
    return host::scenario_for_seed(*read, seed, from.strict);
  };

  std::atomic<bool> stop = false;
  const signal_watch signals{[&stop] { stop = true; }};
  result<std::vector<host::seed_outcome>> outcomes;
  {
    progress_line progress{!common.quiet && what.last > what.first};
    what.on_progress = [&](std::size_t done, std::size_t failed) {
      progress.show({.done = done,
                     .all = what.last - what.first + 1,
                     .failed = failed,
                     .unit = "seeds"});
    };
    outcomes = host::simulate(what, stop);
  }
  if (!outcomes)
    return fail(outcomes.error());
  json::object summary{{"scenario", sanitize_utf8(from.path)},
                       {"interrupted", false}};
  for (auto& member : host::summarise(what, *outcomes))
    summary.emplace(member.key(), std::move(member.value()));
  if (what.series != nullptr) {
    if (auto finished = series.finish(); !finished)
      return fail(finished.error());
    if (series.left_out() > 0 && !common.quiet)
      print_note(fmt::format("series.csv has the first {} rows; {} more are "
                             "left out",
                             series.written(), series.left_out()));
  }
  add_commands(summary, command_of(arguments));
  add_shrunk(summary, arguments, from, what, *outcomes, stop);
  // What is told and the exit code are about the same signal.
  const int signal = signals.caught();
  summary["interrupted"] = signal != 0;
  if (!arguments.out.empty())
    if (auto written = write_results(arguments.out, summary); !written)
      return fail(written.error());
  if (common.json)
    print_json(summary);
  else if (!common.quiet || summary.at("failed") != 0)
    print(simulation_text(summary));
  if (signal != 0)
    return exit_signal + signal;
  return summary.at("failed") == 0 ? exit_good : exit_no;
}

} // namespace

void add_simulate(const command_line& program) {
  program.add<simulate_arguments>("simulate", simulate, add_options);
}

} // namespace convene::cli
