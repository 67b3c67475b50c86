#include <boost/json/serialize.hpp>
#include <convene/cli/commands/simulate/shrink_run.hpp>
#include <convene/cli/commands/simulate/simulation_report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace convene::cli {

namespace json = boost::json;
using protocol::fail;
using protocol::result;

namespace {

result<void> write_json(const std::filesystem::path& file,
                        const json::value& what) {
  return host::write_file(file, protocol::pretty(what));
}

result<void> write_smallest(const std::filesystem::path& folder,
                            const host::shrunk_case& smallest,
                            const host::simulation& what) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(host::file_error(protocol::errc::io_failed, folder,
                                 "cannot be created: " + failed.message(),
                                 "out"));
  auto written = write_json(folder / "scenario.json", smallest.scenario);
  if (!written || !what.faults)
    return written;
  return write_json(folder / "faults.json",
                    host::encode_script(smallest.script, *what.faults));
}

result<json::object>
made_smaller(const std::filesystem::path& folder, const shrink_arguments& how,
             const host::simulation& what, std::uint64_t seed,
             const host::scenario_input& from,
             const std::vector<std::string>& words,
             const std::atomic<bool>& stop) {
  const auto scenario = what.scenario(seed);
  if (!scenario)
    return fail(scenario.error());
  auto small = host::shrink({.seed = seed,
                             .threads = what.threads,
                             .runs_max = how.runs,
                             .like = &what,
                             .scenario =
                               [&](const json::object& one) {
                                 return host::scenario_for_seed(one, seed,
                                                                from.strict);
                               }},
                            *scenario, stop);
  if (!small)
    return fail(std::move(small).error());
  if (auto written = write_smallest(folder, small->smallest, what); !written)
    return fail(std::move(written).error());
  auto command = "convene simulate "
                 + shell_word((folder / "scenario.json").string());
  if (what.faults)
    command += " --faults " + shell_word((folder / "faults.json").string());
  for (const auto& word : words)
    command += ' ' + shell_word(word);
  return json::object{{"seed", seed},
                      {"rule", small->rule},
                      {"message", protocol::sanitize_utf8(small->message)},
                      {"runs", small->runs},
                      {"minimal", small->is_minimal},
                      {"faults", small->smallest.script.size()},
                      {"command",
                       command + " --seeds " + std::to_string(seed)}};
}

} // namespace

json::object shrink_to(const std::filesystem::path& folder,
                       const shrink_arguments& how,
                       const host::simulation& what, std::uint64_t seed,
                       const host::scenario_input& from,
                       const std::vector<std::string>& words,
                       const std::atomic<bool>& stop) {
  auto made = made_smaller(folder, how, what, seed, from, words, stop);
  if (made)
    return *std::move(made);
  const auto& why = made.error();
  return {
    {"seed", seed},
    {"error",
     {{"code", why.rule.empty() ? std::string{to_word(why.code)} : why.rule},
      {"message", protocol::sanitize_utf8(to_string(why))}}}};
}

std::string shrunk_text(const json::object& summary) {
  const auto* shrunk = summary.if_contains("shrunk");
  if (shrunk == nullptr)
    return {};
  const auto& of = shrunk->as_object();
  if (const auto* why = of.if_contains("error"))
    return fmt::format("Not made smaller: {}: {}\n",
                       neutral(protocol::text_of(why->as_object(), "code")),
                       neutral(protocol::text_of(why->as_object(), "message")));
  return fmt::format(
    "Seed {} made smaller in {}{}, with {}: {}: {}\n  {}\n",
    of.at("seed").to_number<std::uint64_t>(),
    plural(of.at("runs").to_number<std::uint64_t>(), "run"),
    of.at("minimal").as_bool() ? "" : " (more may go: raise --shrink-runs)",
    plural(of.at("faults").to_number<std::uint64_t>(), "fault"),
    neutral(protocol::text_of(of, "rule")),
    neutral(protocol::text_of(of, "message")),
    neutral(protocol::text_of(of, "command")));
}

} // namespace convene::cli
