#include <convene/cli/commands/load/load_answer.hpp>
#include <convene/cli/commands/load/load_facts.hpp>
#include <convene/lab/load/assertion.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

/// A level of the load, and what it came to.
struct level {
  std::string name;
  double asked = 0;
  double sessions_a_second = 0;
  double turns_a_second = 0;
  std::optional<double> time; ///< the quantile, in milliseconds
};

/// The quantile that the answer is about, and its limit.
struct told_time {
  std::string of = "session";
  std::string member = "p99_ms";
  std::string name = "p99";
  std::optional<double> limit_ms;
};

/// That of the first assertion about a quantile which stages have.
told_time told_of(const json::object& summary) {
  for (const auto& one : summary.at("assertions").as_array()) {
    const auto read = host::load_assertion::parse(
      std::string_view{one.at("text").as_string()});
    const auto limit = read ? read->quantile_limit() : std::nullopt;
    if (!limit || !limit->below)
      continue;
    told_time made{.of = std::string{host::to_word(limit->of)},
                   .name = fmt::format("p{:.10g}", 100 * limit->share),
                   .limit_ms = limit->nanoseconds / 1e6};
    made.member = made.name + "_ms";
    if (made.of != "session")
      made.name = fmt::format("{} {}", made.of, made.name);
    const auto& stages = summary.at("stages").as_array();
    const auto* times
      = stages.empty() ? nullptr : stages[0].as_object().if_contains(made.of);
    if (times != nullptr && times->as_object().contains(made.member))
      return made;
  }
  return {};
}

std::vector<level> levels_of(const json::object& summary,
                             const told_time& told) {
  std::vector<level> all;
  for (const auto& stage : summary.at("stages").as_array()) {
    if (stage.at("level").is_null() || stage.at("seconds") == 0)
      continue;
    const auto& time = stage.at(told.of).at(told.member);
    all.push_back(
      {.name = level_of(stage),
       .asked = stage.at("level").to_number<double>(),
       .sessions_a_second = stage.at("sessions_a_second").to_number<double>(),
       .turns_a_second = stage.at("turns_a_second").to_number<double>(),
       .time = time.is_null() ? std::nullopt
                              : std::optional{time.to_number<double>()}});
  }
  return all;
}

bool ascends(const std::vector<level>& all) {
  return std::ranges::is_sorted(all, {}, &level::asked)
         && std::ranges::adjacent_find(all, {}, &level::asked) == all.end();
}

/// What the quantile did as the level rose.
report_verdict times_answer(const told_time& told,
                            const std::vector<level>& all) {
  const auto& first = all.front();
  const auto& last = all.back();
  const auto words = [](const level& of) { return time_words(*of.time); };
  if (!told.limit_ms)
    return {report_tone::neutral,
            all.size() == 1
              ? fmt::format("{} was {} at {}", told.name, words(first),
                            first.name)
              : fmt::format("{} was {} at {} and {} at {}", told.name,
                            words(first), first.name, words(last), last.name)};
  const auto limit = time_words(*told.limit_ms);
  const auto over = std::ranges::find_if(all, [&](const level& each) {
    return *each.time >= *told.limit_ms;
  });
  if (over == all.begin())
    return {report_tone::bad,
            fmt::format("{} did not stay under {}: it was {} at {}", told.name,
                        limit, words(first), first.name)};
  if (over == all.end())
    return {report_tone::good,
            fmt::format("{} stayed under {} {}{}: it was {}", told.name, limit,
                        all.size() == 1 ? "at " : "up to ", last.name,
                        words(last))};
  return {report_tone::neutral,
          fmt::format("{} stayed under {} up to {}; it was {} at {}", told.name,
                      limit, std::prev(over)->name, words(*over), over->name)};
}

/// Where more load brought no more work. That a machine varies by a twentieth
/// says nothing.
std::string growth_answer(const std::vector<level>& all) {
  constexpr double more = 1.05;
  const bool by_turns = all.front().name.ends_with("turns/s");
  const auto rate = [by_turns](const level& of) {
    return by_turns ? of.turns_a_second : of.sessions_a_second;
  };
  const char* unit = by_turns ? "turns/s" : "sessions/s";
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const bool grows
      = all[i + 1].asked < more * all[i].asked
        || std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       all.end(), [&](const level& later) {
                         return rate(later) > more * rate(all[i]);
                       });
    if (!grows)
      return fmt::format("throughput stops growing at {:.4g} {}", rate(all[i]),
                         unit);
  }
  return fmt::format("throughput {} {:.4g} {}",
                     all.size() > 1 ? "grew up to" : "was", rate(all.back()),
                     unit);
}

} // namespace

std::string time_words(double milliseconds) {
  constexpr double second = 1e3;
  constexpr double almost = 0.9995; // three digits of it are the next unit
  const auto digits = [](double value) {
    constexpr double hundred = 100;
    return value < hundred ? fmt::format("{:.3g}", value)
                           : fmt::format("{:.0f}", value);
  };
  if (milliseconds < almost)
    return digits(milliseconds * second) + " us";
  return milliseconds < almost * second ? digits(milliseconds) + " ms"
                                        : digits(milliseconds / second) + " s";
}

std::optional<report_verdict> load_answer(const json::object& summary) {
  const auto told = told_of(summary);
  auto all = levels_of(summary, told);
  std::erase_if(all, [](const level& each) { return !each.time; });
  if (all.empty())
    return std::nullopt;
  if (!ascends(all)) { // as a whole
    const auto& time = summary.at("latency").at(told.of).at(told.member);
    const auto& rates = summary.at("rates");
    all = {
      {.name = "all levels together",
       .sessions_a_second = rates.at("sessions_a_second").to_number<double>(),
       .turns_a_second = rates.at("turns_a_second").to_number<double>(),
       .time = time.to_number<double>()}};
  }
  auto made = times_answer(told, all);
  made.text += "; " + growth_answer(all) + '.';
  return made;
}

load_limits limits_of(const json::object& summary) {
  load_limits all;
  for (const auto& one : summary.at("assertions").as_array()) {
    std::string text{one.at("text").as_string()};
    const auto read = host::load_assertion::parse(text);
    if (!read)
      continue;
    if (const auto time = read->quantile_limit();
        time
        && (time->of == host::load_measure::session
            || time->of == host::load_measure::turn))
      all.times.emplace_back(time->nanoseconds / 1e6, std::move(text));
    else if (const auto rate = read->rate_limit())
      all.rates.emplace_back(*rate, std::move(text));
  }
  return all;
}

} // namespace convene::cli
