#include <convene/cli/commands/simulate/fault_report.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace convene::cli {

namespace json = boost::json;

std::string fault_text(const json::object& summary) {
  const auto* faults = summary.if_contains("faults");
  if (faults == nullptr)
    return {};
  std::string all;
  for (const auto& [kind, of] : faults->at("struck").as_object())
    if (of.at("times") != 0)
      all += fmt::format(
        "{}{} {} in {}", all.empty() ? "Faults: " : ", ",
        std::string_view{kind}, of.at("times").to_number<std::uint64_t>(),
        plural(of.at("seeds").to_number<std::uint64_t>(), "seed"));
  if (!all.empty())
    all += '\n';
  std::string missing;
  for (const auto& kind : faults->at("missing").as_array())
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ",
                           std::string_view{kind.as_string()});
  if (!missing.empty())
    all += "Asked for, and never happened: " + missing + '\n';
  std::string reached;
  std::string never;
  for (const auto& [state, seeds] : faults->at("sometimes").as_object()) {
    auto& list = seeds == 0 ? never : reached;
    list += fmt::format("{}{}", list.empty() ? "" : ", ",
                        std::string_view{state});
    if (seeds != 0)
      list += fmt::format(" {}", seeds.to_number<std::uint64_t>());
  }
  if (!reached.empty())
    all += "Reached, in so many seeds: " + reached + '\n';
  if (!never.empty())
    all += "Never reached: " + never + '\n';
  return all;
}

} // namespace convene::cli
