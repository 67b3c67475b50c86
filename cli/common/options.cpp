#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/options.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace convene::cli {

void add_common(CLI::App& command, common_options& common) {
  constexpr std::uint64_t threads_max = 1024;
  command.add_flag("--json", common.json,
                   "Write one JSON document to standard output");
  command.add_flag("--quiet,-q", common.quiet, "Write only errors");
  command.add_flag("--verbose,-v", common.verbose, "Write more");
  command.add_flag("--no-color", common.no_color,
                   "No colours, as with NO_COLOR set");
  command
    .add_option("--log-level", common.log_level,
                "Diagnostics: trace, debug, info, warn, error or off")
    ->check(one_of({"trace", "debug", "info", "warn", "error", "off"}))
    ->option_text("LEVEL");
  command
    .add_option("--threads", common.threads,
                "Worker threads; default all cores")
    ->check(whole_number(1, threads_max))
    ->option_text("N");
}

option_check whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, number);
    if (failed == std::errc{} && at == end && number >= least && number <= most)
      return {};
    return "give a whole number from " + std::to_string(least) + " to "
           + std::to_string(most);
  };
}

option_check one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end())
      return {};
    std::string listed;
    for (std::size_t i = 0; i < words.size(); ++i)
      listed += (i == 0                  ? ""
                 : i + 1 == words.size() ? " or "
                                         : ", ")
                + words[i];
    return "write " + listed;
  };
}

void refuse_empty_values(CLI::App& command) {
  const option_check not_empty = [](const std::string& text) -> std::string {
    return text.empty() ? "is empty: give it a value, or leave it out" : "";
  };
  for (auto* option : command.get_options())
    if (option->get_items_expected_max() > 0)
      option->check(not_empty);
  for (auto* below : command.get_subcommands({}))
    refuse_empty_values(*below);
}

} // namespace convene::cli
