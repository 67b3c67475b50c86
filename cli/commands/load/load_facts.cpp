#include <boost/json/serialize.hpp>
#include <convene/cli/commands/load/load_answer.hpp>
#include <convene/cli/commands/load/load_facts.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::uint64_t count_at(const json::object& summary, std::string_view name) {
  return summary.at("counts").at(name).to_number<std::uint64_t>();
}

/// What share of something went wrong, if any of it did.
void add_share(std::vector<report_verdict>& to, report_tone tone,
               std::string_view what, const json::value& share) {
  if (!share.is_null() && share.to_number<double>() > 0)
    to.push_back({tone, fmt::format("{}: {:.3g} %.", what,
                                    100 * share.to_number<double>())});
}

/// A member's name as a person writes it.
std::string label_of(std::string_view member) {
  std::string made{member};
  std::ranges::replace(made, '_', ' ');
  if (!made.empty() && made[0] >= 'a' && made[0] <= 'z')
    made[0] = static_cast<char>(made[0] - 'a' + 'A');
  return made;
}

/// Of what the load is, as a person writes it.
std::string fact_of(const json::value& value) {
  if (value.is_null())
    return "none";
  if (const auto* text = value.if_string())
    return std::string{*text};
  if (const auto* number = value.if_double())
    return fmt::format("{:.10g}", *number);
  return json::serialize(value);
}

/// Of many stages, those of the first and the last.
std::string levels_of(const json::array& stages) {
  constexpr std::size_t told_max = 5;
  if (stages.empty())
    return "none";
  if (stages.size() > told_max)
    return fmt::format("{} to {} in {} stages", level_of(stages.front()),
                       level_of(stages.back()), stages.size());
  std::string all;
  for (const auto& stage : stages)
    all += (all.empty() ? "" : ", ") + level_of(stage);
  return all;
}

} // namespace

std::string level_of(const json::value& stage) {
  return fmt::format("{:g} {}", stage.at("level").to_number<double>(),
                     std::string_view{stage.at("unit").as_string()});
}

std::vector<report_verdict> load_verdicts(const json::object& summary) {
  std::vector<report_verdict> all;
  if (!summary.at("valid").as_bool())
    all.push_back({report_tone::bad,
                   "Not valid: the generator was late by more than a tenth of "
                   "what it measured, or left sessions out, so it measured "
                   "itself."});
  if (summary.at("interrupted").as_bool())
    all.push_back(
      {report_tone::bad, "Interrupted: these are the results so far."});
  if (auto answer = load_answer(summary))
    all.push_back(*std::move(answer));
  const auto& errors = summary.at("errors");
  add_share(all, report_tone::bad, "Sessions that did not complete",
            errors.at("share"));
  add_share(all, report_tone::neutral, "Turns that failed",
            errors.at("turn_share"));
  if (const auto refused = count_at(summary, "writes_refused"); refused > 0)
    all.push_back(
      {report_tone::neutral, fmt::format("Writes refused: {}.", refused)});
  if (const auto& why = summary.at("aborted"); why.is_string())
    all.push_back(
      {report_tone::bad, "Ended early: " + std::string{why.get_string()}});
  for (const auto& one : summary.at("assertions").as_array()) {
    const bool holds = one.at("holds").as_bool();
    all.push_back(
      {holds ? report_tone::good : report_tone::bad,
       fmt::format("{} {}: {}", std::string_view{one.at("text").as_string()},
                   holds ? "holds" : "does not hold",
                   std::string_view{one.at("observed").as_string()})});
  }
  if (const auto* baseline = summary.if_contains("baseline")) {
    const auto worse = baseline->at("worse").as_array().size();
    all.push_back(worse == 0
                    ? report_verdict{report_tone::good,
                                     "Nothing is worse than in the baseline."}
                    : report_verdict{report_tone::bad,
                                     fmt::format("{} of the figures compared "
                                                 "with the baseline are worse.",
                                                 worse)});
  }
  return all;
}

std::vector<std::pair<std::string, std::string>>
load_facts(const json::object& summary) {
  const auto& rates = summary.at("rates");
  const auto rate = [&rates](std::string_view name) {
    return fmt::format("{:.1f}", rates.at(name).to_number<double>());
  };
  const auto count = [&summary](std::string_view name) {
    return std::to_string(count_at(summary, name));
  };
  const auto& p99 = summary.at("latency").at("session").at("p99_ms");
  std::vector<std::pair<std::string, std::string>> facts{
    {"Session p99",
     p99.is_null() ? "none ended" : time_words(p99.to_number<double>())},
    {"Measured seconds",
     fmt::format("{:.1f}", summary.at("seconds").to_number<double>())},
    {"Sessions completed", count("completed")},
    {"Cancelled", count("cancelled")},
    {"Failed", count("failed")},
    {"Unfinished",
     std::to_string(summary.at("unfinished").to_number<std::uint64_t>())},
    {"Sessions a second", rate("sessions_a_second")},
    {"Turns a second", rate("turns_a_second")},
    {"Events a second", rate("events_a_second")},
    {"Cores busy",
     fmt::format("{:.2f}", summary.at("cpu").at("cores").to_number<double>())}};
  for (const auto& [name, value] : summary.at("load").as_object())
    if (name != "stages")
      facts.emplace_back(label_of(name), fact_of(value));
    else if (const auto* stages = value.if_array(); stages != nullptr)
      facts.emplace_back("Level", levels_of(*stages));
  return facts;
}

} // namespace convene::cli
