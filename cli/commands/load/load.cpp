#include <convene/cli/commands/load/load_arguments.hpp>
#include <convene/cli/commands/load/load_page.hpp>
#include <convene/cli/commands/load/load_report.hpp>
#include <convene/cli/common/new_folder.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/lab/load/load_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

result<void> write_load(const std::filesystem::path& folder,
                        const json::object& summary,
                        const host::load_outcome& outcome) {
  return to_html(load_page(summary, outcome)).and_then([&](const auto& html) {
    return host::write_file(folder / "summary.json", pretty(summary))
      .and_then(
        [&] { return host::write_file(folder / "series.csv", outcome.csv); })
      .and_then([&] { return host::write_file(folder / "report.html", html); });
  });
}

/// When the load ends if nothing ends it before.
host::load_time end_of(const host::load_plan& plan) {
  auto end = plan.warm_up;
  for (const auto& stage : plan.stages)
    end += stage.length;
  return plan.starts.empty() ? end : std::max(end, plan.starts.back());
}

result<json::object> carry_out(const load_arguments& arguments,
                               const common_options& common, load_setup& setup,
                               const std::atomic<bool>& stop) {
  for (const auto& [folder, option] :
       {std::pair{arguments.out, "out"}, std::pair{arguments.log, "log"}})
    if (!folder.empty())
      if (auto made = make_new_folder(folder, option); !made)
        return fail(std::move(made).error());
  result<host::load_outcome> outcome;
  {
    progress_line progress{!common.quiet};
    const auto end = end_of(setup.plan);
    setup.plan.on_progress = [&](host::load_time now,
                                 const host::load_figures& so_far) {
      const auto failed = so_far.of(host::load_tally::failed);
      progress.show({.done = so_far.of(host::load_tally::completed)
                             + so_far.of(host::load_tally::cancelled) + failed,
                     .failed = failed,
                     .unit = "sessions",
                     .left = std::chrono::ceil<std::chrono::seconds>(
                       std::max(end - now, host::load_time{}))});
    };
    outcome = host::run_load(setup.plan, stop);
  }
  if (!outcome)
    return fail(std::move(outcome).error());
  auto summary = host::summarise(std::move(setup.description), setup.plan,
                                 *outcome);
  if (!arguments.baseline.empty())
    host::compare_with_baseline(summary, setup.baseline, setup.tolerance);
  if (!arguments.out.empty())
    if (auto written = write_load(arguments.out, summary, *outcome); !written)
      return fail(std::move(written).error());
  return summary;
}

/// That no server can be reached is a fault, and one that does not know the
/// key refuses all: neither is a result of many sessions that failed.
result<void> check_reached(const host::load_plan& plan,
                           const std::stop_token& stop) {
  result<void> reached;
  for (const auto& server : plan.servers) {
    const auto opened = client::open(server);
    if (!opened)
      return fail(opened.error());
    const auto asked = opened->questions({.limit = 1}, stop);
    if (!asked && asked.error().rule == "unauthenticated")
      return fail(asked.error());
    if (asked || asked.error().code != errc::io_failed)
      return {};
    reached = fail(asked.error());
  }
  return reached;
}

result<int> put_load(const load_arguments& arguments,
                     const common_options& common) {
  auto setup = set_up_load(arguments, common);
  if (!setup)
    return fail(setup.error());
  std::atomic<bool> stop = false;
  std::stop_source stop_asking;
  const signal_watch signals{[&] {
    stop = true;
    stop_asking.request_stop();
  }};
  if (auto there = check_reached(setup->plan, stop_asking.get_token()); !there)
    return fail(there.error());
  const auto summary = carry_out(arguments, common, *setup, stop);
  if (!summary)
    return fail(summary.error());
  const bool is_good = summary->at("good").as_bool();
  if (common.json)
    print_json(*summary);
  else if (!common.quiet || !is_good)
    print(load_text(*summary));
  return signals.exit_code(is_good ? exit_good : exit_no);
}

} // namespace

void add_load(const command_line& program) {
  program.add<load_arguments>("load", put_load, add_arguments);
}

} // namespace convene::cli
