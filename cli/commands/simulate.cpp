#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/scenario_for_seed.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/common/simulation_report.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/simulation/simulation_summary.hpp>
#include <convene/runtime/simulation/stand_ins.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct simulate_arguments {
  scenario_file scenario;
  std::string seeds = "1..100";
  std::vector<std::string> stand_ins;  ///< ID=BEHAVIOUR
  std::vector<std::string> properties; ///< files
  std::string out;                     ///< empty: nothing is written
  std::string keep;                    ///< failed or all; empty: not given
};

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

result<void> read_seeds(std::string_view text, host::simulation& into) {
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
  into.first = *first;
  into.last = *last;
  return {};
}

/// A folder that is new or empty: results never mix with what is there.
result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(host::file_error(errc::io_failed, folder,
                                 "cannot be created: " + failed.message(),
                                 "out"));
  if (!std::filesystem::is_empty(folder, failed) || failed)
    return fail(host::file_error(
      errc::usage, folder, "is not an empty folder: name a new one", "out"));
  return {};
}

/// The scenario of the first seed can start, so the others can, too.
result<void> check_first(const scenario_file& from, std::uint64_t seed,
                         const common_options& common) {
  std::vector<host::source_note> notes;
  const auto first = scenario_for_seed(from, seed, &notes);
  if (!first)
    return fail(first.error());
  auto fits = host::check_nobody_outside(first->spec).and_then([&] {
    return host::may_start(first->spec,
                           host::options_for_seed(first->spec, seed));
  });
  if (!fits && fits.error().code != errc::usage)
    fits.error().file = from.path;
  if (fits && !common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(to_string(error{.message = note.message,
                                 .file = note.file,
                                 .pointer = note.pointer,
                                 .line = note.line,
                                 .column = note.column}));
  return fits;
}

/// Stand-ins are overrides of the scenario, after those of --set.
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

/// An error in an override that a stand-in became is about the stand-in.
error as_given(error why, const simulate_arguments& arguments) {
  for (const auto& text : arguments.stand_ins) {
    const auto parsed = host::parse_stand_in(text);
    const auto as_set = "--set " + (parsed ? host::to_override(*parsed) : "");
    if (parsed && why.message.starts_with(as_set))
      why.message = "--stand-in " + text + why.message.substr(as_set.size());
  }
  return why;
}

/// What a failing seed is reproduced with, but for the seed.
std::vector<std::string> command_of(const simulate_arguments& arguments) {
  std::vector<std::string> words{arguments.scenario.path};
  for (const auto& text : arguments.scenario.overrides)
    words.insert(words.end(), {"--set", text});
  for (const auto& text : arguments.stand_ins)
    words.insert(words.end(), {"--stand-in", text});
  for (const auto& file : arguments.properties)
    words.insert(words.end(), {"--property", file});
  if (arguments.scenario.strict)
    words.emplace_back("--strict");
  return words;
}

/// No more than there are seeds.
std::size_t threads_for(const common_options& common,
                        const host::simulation& what) {
  const std::uint64_t wanted
    = common.threads != 0 ? common.threads
                          : std::max(1U, std::thread::hardware_concurrency());
  return std::min(wanted, what.last - what.first + 1);
}

int simulate(const simulate_arguments& arguments,
             const common_options& common) {
  const auto told = [&common](const error& what) {
    return report(what, common.json);
  };
  host::simulation what;
  auto from = arguments.scenario;
  if (!arguments.keep.empty() && arguments.out.empty())
    return told({.code = errc::usage,
                 .message = "--keep says whose run is kept in --out: give both",
                 .rule = "keep"});
  if (auto seeds = read_seeds(arguments.seeds, what); !seeds)
    return told(seeds.error());
  for (const auto& file : arguments.properties) {
    auto read = host::read_properties(file);
    if (!read)
      return told(read.error());
    what.properties.insert(what.properties.end(), read->begin(), read->end());
    if (what.properties.size() > host::properties_max)
      return told({.code = errc::limit_reached,
                   .message = "with this file there are over "
                              + std::to_string(host::properties_max)
                              + " properties",
                   .file = file,
                   .rule = "properties_max"});
  }
  if (auto placed = place_stand_ins(arguments.stand_ins, from); !placed)
    return told(placed.error());
  if (auto fits = check_first(from, what.first, common); !fits)
    return told(as_given(fits.error(), arguments));
  what.threads = threads_for(common, what);
  constexpr std::size_t threads_of_each = 4;
  if (auto enough = host::try_threads({.seed = what.first},
                                      what.threads * threads_of_each);
      !enough)
    return told(enough.error());
  if (!arguments.out.empty()) {
    if (auto made = make_folder(arguments.out); !made)
      return told(made.error());
    what.out = std::filesystem::path{arguments.out} / "seeds";
  }
  if (arguments.keep == "all")
    what.keep = host::kept_seeds::all;
  what.scenario = [&from](std::uint64_t seed) {
    return scenario_for_seed(from, seed);
  };

  std::atomic<bool> stop = false;
  const signal_watch signals{[&stop] { stop = true; }};
  result<std::vector<host::seed_outcome>> outcomes;
  {
    progress_line progress{!common.quiet && what.last > what.first};
    what.on_progress = [&](std::size_t done) {
      progress.show(fmt::format("{} of {} seeds have ended", done,
                                what.last - what.first + 1));
    };
    outcomes = host::simulate(what, stop);
  }
  if (!outcomes)
    return told(outcomes.error());
  json::object summary{{"scenario", sanitize_utf8(from.path)},
                       {"interrupted", signals.caught() != 0}};
  for (auto& member : host::summarise(what, *outcomes))
    summary.emplace(member.key(), std::move(member.value()));
  add_commands(summary, command_of(arguments));
  if (!arguments.out.empty())
    if (auto written = host::write_file(std::filesystem::path{arguments.out}
                                          / "summary.json",
                                        pretty(summary));
        !written)
      return told(written.error());
  if (common.json)
    print_json(summary);
  else if (!common.quiet || summary.at("failed") != 0)
    print(simulation_text(summary));
  if (const int signal = signals.caught(); signal != 0)
    return 128 + signal;
  return summary.at("failed") == 0 ? exit_good : exit_no;
}

} // namespace

void add_simulate(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "simulate", "Runs a scenario under many seeds, and checks each run");
  auto arguments = std::make_shared<simulate_arguments>();
  command
    .add_option("PATH", arguments->scenario.path,
                "A scenario file, or a folder of MPLP documents")
    ->required()
    ->option_text(" ");
  command
    .add_option("--seeds", arguments->seeds,
                "The first and the last seed, or one; each is what run --seed "
                "makes of it. Default 1..100")
    ->option_text("A..B");
  command
    .add_option("--stand-in", arguments->stand_ins,
                "Who answers for a participant: a behaviour as JSON, or the "
                "name of a type without settings. Needed for all that act "
                "outside; nobody outside is ever called")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("ID=BEHAVIOUR");
  command
    .add_option("--property", arguments->properties,
                "File with what shall hold for every seed: {\"never\": C}, "
                "{\"at_end\": C} with a condition of session.end, {\"result\": "
                "{MEMBER: {\"at_most\": N}}}, or an array of these")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("FILE");
  command
    .add_option("--set", arguments->scenario.overrides,
                "Set any member of the scenario by its path, as with run")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("KEY=VALUE");
  command
    .add_option("--out", arguments->out,
                "Folder for summary.json, which is what --json prints, and for "
                "the runs that are kept, new or empty; default: none")
    ->option_text("DIR");
  command
    .add_option(
      "--keep", arguments->keep,
      "Whose run is kept in seeds/<seed>, as run writes it: failed or "
      "all. Default failed")
    ->check(one_of({"failed", "all"}))
    ->option_text("WHICH");
  command.add_flag("--strict", arguments->scenario.strict,
                   "Documents must match the official schemas, as with run");
  add_common(command, common);
  command.footer("Example: convene simulate scenario.json --seeds 1..1000 "
                 "--stand-in ana=simulated --property calm.json\n"
                 "Exit code 1 if a seed fails.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return simulate(*arguments, common); };
  });
}

} // namespace convene::cli
