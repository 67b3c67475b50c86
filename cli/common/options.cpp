#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/options.hpp>

#include <charconv>
#include <cstdint>

namespace convene::cli {

void add_common(CLI::App& command, common_options& common) {
  constexpr unsigned threads_max = 1024;
  command.add_flag("--json", common.json,
                   "Write one JSON document to standard output");
  command.add_flag("--quiet,-q", common.quiet, "Write only errors");
  command.add_flag("--verbose,-v", common.verbose, "Write more");
  command.add_flag("--no-color", common.no_color,
                   "No colours, as with NO_COLOR set");
  command
    .add_option("--log-level", common.log_level,
                "Diagnostics: trace, debug, info, warn, error or off")
    ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
    ->option_text("LEVEL");
  command
    .add_option("--threads", common.threads,
                "Worker threads; default all cores")
    ->check(CLI::Range(1U, threads_max))
    ->option_text("N");
}

std::string whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, number);
  if (failed == std::errc{} && at == end)
    return {};
  return "give a whole number from 0 to 18446744073709551615";
}

} // namespace convene::cli
